import type { JsonObject, User } from '@millrace/kernel';

/** The properties that conditions may read, for users who have written properties themselves. */
const CLAIMS = new WeakMap<User, JsonObject>();

/**
 * The properties of a user that conditions in roles may read: `_id`, `profileIds` and the free properties not written
 * by the user. A condition on a property that users write themselves would let them grant themselves rights.
 */
export function claimsOf(user: User): JsonObject {
  return CLAIMS.get(user) ?? (user as JsonObject);
}

/** Another object for the same user. */
export function copyUser(user: User): User {
  const copy: User = Object.freeze({ ...user });
  const claims = CLAIMS.get(user);
  if (claims !== undefined) CLAIMS.set(copy, claims);
  return copy;
}

/** @param selfWritten names of the properties that the user has written */
export function hideFromConditions(user: User, selfWritten: readonly string[]): void {
  const entries = Object.entries(user as JsonObject);
  const claims = entries.filter(([key]) => !selfWritten.includes(propertyNameOf(key)));
  CLAIMS.set(user, Object.freeze(Object.fromEntries(claims)));
}

/** The property that a key of the content refers to: `team` for `team.lead` too. */
export function propertyNameOf(key: string): string {
  return key.split('.', 1)[0] ?? key;
}
