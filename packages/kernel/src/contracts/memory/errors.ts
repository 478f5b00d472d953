import { defineErrors } from '../../errors/defineErrors.js';

/** Errors of the memory store and its engines (MEM-30). */
export const memoryErrors = defineErrors('memory', {
  invalid_argument: {
    status: 400,
    message: (p: { name: string; problem: string }) => `Argument "${p.name}" ${p.problem}`,
  },
  command_error: {
    status: 400,
    message: (p: { message: string }) => p.message,
  },
  command_too_large: {
    status: 400,
    message: (p: { amount: number; limit: number; unit: 'bytes' | 'elements' }) =>
      `The command would go through ${p.amount} ${p.unit}; one command may go through ${p.limit}`,
  },
  answer_too_large: {
    status: 400,
    message: (p: { limitBytes: number }) =>
      `The answer would take more than ${p.limitBytes} bytes of JSON; read it in parts, for example by getrange, lrange, zrange, hmget or a count`,
  },
  protocol_not_supported: {
    status: 400,
    message: (p: { action: string }) =>
      `"${p.action}" belongs to a transaction, which needs a lasting connection: HTTP has no transactions`,
  },
  unavailable: {
    status: 503,
    message: (p: { reason: string }) => `The memory store is unavailable: ${p.reason}`,
  },
});
