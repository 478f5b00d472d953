import type { User } from '@millrace/kernel';
import type { Policy } from './Policy.js';
import { isAdministrator } from './BUILT_IN_ROLES.js';
import { copyUser } from './userClaims.js';

const LIMITS = new WeakMap<User, readonly Policy[]>();

/**
 * The user of requests with an API key that has policies. The limits belong to the object, so they hold wherever the
 * user of a request is used later: in subscriptions, followed searches, and calls of plugins with `{user: request.user}`.
 */
export function limitUser(user: User, policies: readonly Policy[]): User {
  const limited = copyUser(user);
  LIMITS.set(limited, policies);
  return limited;
}

/** The policies that limit the rights of a user's profiles; null: none do. */
export function limitsOf(user: User): readonly Policy[] | null {
  return LIMITS.get(user) ?? null;
}

/** Whether a caller is an administrator (SEC-34): one whose API key has policies is not (KEY-5). */
export function actsAsAdministrator(user: User): boolean {
  return isAdministrator(user) && limitsOf(user) === null;
}
