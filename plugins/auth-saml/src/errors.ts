import { defineErrors } from '@millrace/kernel';

/** Errors of logins by SAML. They never contain any part of an assertion. */
export const samlErrors = defineErrors('auth', {
  assertion_malformed: {
    status: 400,
    message: (p: { problem: string }) => `SAMLResponse: ${p.problem}`,
  },
  assertion_refused: {
    status: 401,
    message: (p: { strategy: string; problem: string }) =>
      `The answer of the identity provider of "${p.strategy}" is refused: ${p.problem}`,
  },
});
