import { memoryErrors } from '@millrace/kernel';

/** Maximum bytes of strings that one command may process: two of the longest values. */
export const MAX_INPUT_BYTES = 134_217_728;

/** @throws memory.command_too_large */
export function assertBytes(bytes: number): void {
  if (bytes > MAX_INPUT_BYTES)
    throw memoryErrors.command_too_large({ amount: bytes, limit: MAX_INPUT_BYTES, unit: 'bytes' });
}
