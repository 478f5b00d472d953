import { defineErrors } from '../../errors/defineErrors.js';

/** Errors of authentication. */
export const authErrors = defineErrors('auth', {
  invalid_token: {
    status: 401,
    message: (p: { reason: string }) => `The token is not valid: ${p.reason}`,
  },
  token_expired: { status: 401, message: () => 'Token expired' },
  login_needed: {
    status: 401,
    message: (p: { controller: string; action: string }) =>
      `${p.controller}.${p.action} needs a login: no token was sent, and the anonymous user may not do this`,
  },
  wrong_credentials: { status: 401, message: () => 'Wrong credentials' },
  too_many_attempts: {
    status: 429,
    message: () => 'Too many failed logins: try again later',
  },
  unknown_strategy: {
    status: 400,
    message: (p: { strategy: string; known: string }) =>
      `No strategy ${JSON.stringify(p.strategy)}: expected ${p.known}`,
  },
});

/** Errors about rights, users, profiles and roles. */
export const securityErrors = defineErrors('security', {
  forbidden: {
    status: 403,
    message: (p: { userId: string; controller: string; action: string; where: string }) =>
      `User "${p.userId}" may not run ${p.controller}.${p.action}${p.where}`,
  },
});
