import { defineErrors } from '../../errors/defineErrors.js';

/** Errors of validation specifications (VALID-41, VALID-42, VALID-43). */
export const validationErrors = defineErrors('validation', {
  failed: {
    status: 400,
    message: (p: { where: string; reason: string }) => `${p.where}: ${p.reason}`,
  },
  invalid_specification: {
    status: 400,
    message: (p: { count: number }) => `The specifications have ${p.count} faults`,
  },
  no_specification: { status: 404, message: () => 'Not Found' },
});
