import { defineErrors } from '../../errors/defineErrors.js';

/** Errors of authentication. */
export const authErrors = defineErrors('auth', {
  invalid_token: {
    status: 401,
    message: (p: { reason: string }) => `The token is not valid: ${p.reason}`,
  },
});
