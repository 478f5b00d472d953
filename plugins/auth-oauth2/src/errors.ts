import { defineErrors } from '@millrace/kernel';

/** Errors of logins at a provider. They never contain a code, token, state or secret. */
export const oauth2Errors = defineErrors('auth', {
  login_state_refused: {
    status: 401,
    message: (p: { strategy: string }) =>
      `The login with "${p.strategy}" can't go on: its state is unknown, used, over, or another client's. Begin it again`,
  },
  provider_denied: {
    status: 401,
    message: (p: { strategy: string; reason: string }) =>
      `The provider of "${p.strategy}" denied the login: ${p.reason}`,
  },
  identity_refused: {
    status: 401,
    message: (p: { strategy: string; problem: string }) =>
      `What the provider of "${p.strategy}" says of the user can't be trusted: ${p.problem}`,
  },
  provider_failed: {
    status: 502,
    message: (p: { strategy: string; problem: string }) =>
      `The provider of "${p.strategy}" gave an answer that can't be used: ${p.problem}`,
  },
  provider_unavailable: {
    status: 503,
    message: (p: { strategy: string; problem: string }) =>
      `The provider of "${p.strategy}" can't be asked: ${p.problem}. Try again later`,
  },
});
