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
  wrong_setup_token: {
    status: 401,
    message: () => 'The setup token is missing or wrong: expected the one in the log of the server, as body.setupToken',
  },
  too_many_setup_attempts: {
    status: 429,
    message: () => 'Too many wrong setup tokens from this address: try again later',
  },
  too_many_logins: {
    status: 429,
    message: () => 'Too many logins, password changes or token renewals of one account: try again later',
  },
  recent_login_needed: {
    status: 403,
    message: () =>
      'Changing credentials needs the current password as body.currentPassword, or a token from a login of the last 5 minutes',
  },
  wrong_current_password: {
    status: 403,
    message: () => 'body.currentPassword is not the current password of this account',
  },
  session_too_old: {
    status: 401,
    message: (p: { maxAge: string }) =>
      `The session began more than ${p.maxAge} ago and can't be prolonged (security.jwt.maxSessionAge): log in again`,
  },
  too_many_sign_ups: {
    status: 429,
    message: () => 'Too many new users from this address: try again later',
  },
  no_credentials: {
    status: 404,
    message: (p: { userId: string; strategy: string }) =>
      `User "${p.userId}" has no credentials of strategy "${p.strategy}"`,
  },
  credentials_exist: {
    status: 409,
    message: (p: { userId: string; strategy: string }) =>
      `User "${p.userId}" has credentials of strategy "${p.strategy}" already`,
  },
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

/** Errors about permissions, users, profiles and roles. */
export const securityErrors = defineErrors('security', {
  forbidden: {
    status: 403,
    message: (p: { userId: string; controller: string; action: string; where: string }) =>
      `User "${p.userId}" may not run ${p.controller}.${p.action}${p.where}`,
  },
  field_hidden: {
    status: 403,
    message: (p: { field: string; where: string }) =>
      `The field "${p.field}"${p.where} may not be read by this user: a request may not name it`,
  },
  field_not_writable: {
    status: 403,
    message: (p: { field: string }) => `The field "${p.field}" may not be changed by this user`,
  },
  document_refused: {
    status: 403,
    message: (p: { id: string; action: string }) =>
      `document.${p.action} of "${p.id}": this user may not write a document with this content`,
  },
  origin_refused: {
    status: 403,
    message: (p: { reason: string }) => `The origin of the request is refused: ${p.reason}`,
  },
  address_refused: {
    status: 403,
    message: (p: { path: string; address: string }) => `${p.path} is not for clients at ${p.address}`,
  },
  api_key_not_accepted: {
    status: 403,
    message: (p: { what: string }) => `${p.what} can't be done with an API key: log in`,
  },
  api_key_wrong_address: {
    status: 403,
    message: () => 'This API key may not be used from this address (allowedAddresses)',
  },
  api_key_not_found: {
    status: 404,
    message: (p: { keyId: string }) => `No API key "${p.keyId}"`,
  },
  invalid_api_key: {
    status: 400,
    message: (p: { reason: string }) => `Invalid API key: ${p.reason}`,
  },
  too_many_api_keys: {
    status: 412,
    message: (p: { userId: string; limit: number }) =>
      `User "${p.userId}" has ${p.limit} API keys, the most that security.apiKeys.maxPerUser allows: delete some`,
  },
  invalid_role: {
    status: 400,
    message: (p: { roleId: string; reason: string }) => `Role "${p.roleId}": ${p.reason}`,
  },
  invalid_profile: {
    status: 400,
    message: (p: { reason: string }) => `Invalid profile: ${p.reason}`,
  },
  invalid_user: {
    status: 400,
    message: (p: { reason: string }) => `Invalid user: ${p.reason}`,
  },
  invalid_id: {
    status: 400,
    message: (p: { what: string; value: string }) =>
      `Invalid _id ${JSON.stringify(p.value)} of a ${p.what}: expected 1 to 512 bytes of UTF-8 without control characters, not beginning with "_"${p.what === 'user' ? ', and not "-1", the anonymous user' : ''}`,
  },
  user_not_found: {
    status: 404,
    message: (p: { userId: string }) => `No user "${p.userId}"`,
  },
  profile_not_found: {
    status: 404,
    message: (p: { profileId: string }) => `No profile "${p.profileId}"`,
  },
  role_not_found: {
    status: 404,
    message: (p: { roleId: string }) => `No role "${p.roleId}"`,
  },
  user_exists: {
    status: 409,
    message: (p: { userId: string }) => `A user "${p.userId}" already exists`,
  },
  profile_exists: {
    status: 409,
    message: (p: { profileId: string }) => `A profile "${p.profileId}" already exists`,
  },
  role_exists: {
    status: 409,
    message: (p: { roleId: string }) => `A role "${p.roleId}" already exists`,
  },
  suid_taken: {
    status: 409,
    message: () => 'The suid belongs to another user',
  },
  profile_in_use: {
    status: 412,
    message: (p: { profileId: string; userCount: number }) =>
      `Profile "${p.profileId}" is in use by ${p.userCount} users`,
  },
  role_in_use: {
    status: 412,
    message: (p: { roleId: string; profileCount: number }) =>
      `Role "${p.roleId}" is in use by ${p.profileCount} profiles`,
  },
  built_in: {
    status: 412,
    message: (p: { what: string; id: string }) => `The ${p.what} "${p.id}" is built in: it can't be deleted`,
  },
  last_administrator: {
    status: 412,
    message: (p: { userId: string }) => `User "${p.userId}" is the last administrator: make another one first`,
  },
  admin_exists: { status: 412, message: () => 'There is an administrator already' },
});
