import { defineErrors } from '@millrace/kernel';

/** Errors of the local strategy. They name the field and never include its value, which may be a password. */
export const localErrors = defineErrors('auth', {
  credentials_malformed: {
    status: 400,
    message: (p: { field: string; problem: string }) => `${p.field}: ${p.problem}`,
  },
  password_refused: {
    status: 400,
    message: (p: { problem: string }) => `password: ${p.problem}`,
  },
});
