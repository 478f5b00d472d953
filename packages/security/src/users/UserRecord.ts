import type { JsonObject, JsonValue, User } from '@millrace/kernel';
import { ADMIN_PROFILE } from '../roles/BUILT_IN_ROLES.js';

/** A user as stored. Immutable. */
export interface UserRecord {
  readonly id: string;
  readonly version: number;
  readonly profileIds: readonly string[];
  /** Refers to the user's credentials; never changes. */
  readonly suid: string;
  /** Free properties. */
  readonly content: JsonObject;
  /** Names of the free properties last written by the user, by sign-up or updateSelf; conditions don't read them. */
  readonly selfWritten: readonly string[];
  /** Claim `gen` of the user's tokens: a random string, regenerated at each creation and change of credentials. */
  readonly gen: string;
  /** The one older token that stays valid: the one used for the last change of credentials. */
  readonly keptTokenId: string | null;
  /** The user as the pipeline and conditions see it. */
  readonly user: User;
}

/** The fields of a new or changed record. */
export type UserParts = Omit<UserRecord, 'version' | 'user'>;

/** Creates the record. All requests of the user share it, so it is deeply frozen. */
export function toUserRecord(parts: UserParts, version: number): UserRecord {
  const { id, profileIds, suid, content, selfWritten } = parts;
  freezeDeeply([profileIds, content, selfWritten]);
  const user: User = Object.freeze({ ...content, _id: id, profileIds, suid });
  if (selfWritten.length > 0) CLAIMS.set(user, claimsIn(user, selfWritten));
  return Object.freeze({ ...parts, version, user });
}

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

function claimsIn(user: User, selfWritten: readonly string[]): JsonObject {
  const entries = Object.entries(user as JsonObject);
  return Object.freeze(Object.fromEntries(entries.filter(([key]) => !selfWritten.includes(propertyNameOf(key)))));
}

/** The property that a key of the content refers to: `team` for `team.lead` too. */
export function propertyNameOf(key: string): string {
  return key.split('.', 1)[0] ?? key;
}

/** The user as returned in results: free properties, profiles and suid, never secrets. */
export function toPublicSource({ content, profileIds, suid }: UserRecord): JsonObject {
  return { ...content, profileIds, profileId: profileIds[0] ?? '', suid };
}

/** True for a user with profile `admin` (SEC-8). */
export function isAdministrator({ profileIds }: { readonly profileIds: readonly string[] }): boolean {
  return profileIds.includes(ADMIN_PROFILE);
}

function freezeDeeply(roots: readonly JsonValue[]): void {
  const open: JsonValue[] = [...roots];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue;
    Object.freeze(next);
    for (const inner of Object.values(next) as readonly JsonValue[]) open.push(inner);
  }
}
