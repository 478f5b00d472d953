import type { JsonObject, JsonValue, User } from '@millrace/kernel';
import { ADMIN_PROFILE } from '../roles/BUILT_IN_ROLES.js';

/** A user as stored. Immutable. */
export interface UserRecord {
  readonly id: string;
  readonly version: number;
  readonly profileIds: readonly string[];
  /** Links the user to its credentials; never changes. */
  readonly suid: string;
  /** Free properties. */
  readonly content: JsonObject;
  /** Names of the free properties that the user wrote last, by sign-up or updateSelf: conditions don't read them. */
  readonly selfWritten: readonly string[];
  /** Claim `gen` of its tokens: a random text, made anew at each creation and change of credentials. */
  readonly gen: string;
  /** The one older token that stays valid: the one that made the last change of credentials. */
  readonly keptTokenId: string | null;
  /** What the pipeline and conditions see. */
  readonly user: User;
}

/** What a new or changed record is made of. */
export type UserParts = Omit<UserRecord, 'version' | 'user'>;

/** Makes the record of its parts. It is shared by all requests of the user, so nothing of it can be changed. */
export function toUserRecord(parts: UserParts, version: number): UserRecord {
  const { id, profileIds, content, selfWritten } = parts;
  freezeDeeply([profileIds, content, selfWritten]);
  const user: User = Object.freeze({ ...content, _id: id, profileIds });
  if (selfWritten.length > 0) CLAIMS.set(user, claimsIn(user, selfWritten));
  return Object.freeze({ ...parts, version, user });
}

/** What conditions may read of users with properties of their own writing. */
const CLAIMS = new WeakMap<User, JsonObject>();

/**
 * What conditions in roles read of a user: `_id`, `profileIds` and the properties that somebody else wrote. A condition on
 * what users write themselves would be a right that they give themselves.
 */
export function claimsOf(user: User): JsonObject {
  return CLAIMS.get(user) ?? (user as JsonObject);
}

function claimsIn(user: User, selfWritten: readonly string[]): JsonObject {
  const entries = Object.entries(user as JsonObject);
  return Object.freeze(
    Object.fromEntries(entries.filter(([key]) => !selfWritten.includes(propertyNameOf(key)))),
  );
}

/** The property that a key of the content spells: `team` for `team.lead` too. */
export function propertyNameOf(key: string): string {
  return key.split('.', 1)[0] ?? key;
}

/** The user as results show it: free properties, profiles and suid, never anything secret. */
export function toPublicSource({ content, profileIds, suid }: UserRecord): JsonObject {
  return { ...content, profileIds, profileId: profileIds[0] ?? '', suid };
}

/** True for a user with profile `admin` (SEC-8). */
export function isAdministrator({ profileIds }: { readonly profileIds: readonly string[] }): boolean {
  return profileIds.includes(ADMIN_PROFILE);
} // prettier-ignore

function freezeDeeply(roots: readonly JsonValue[]): void {
  const open: JsonValue[] = [...roots];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue;
    Object.freeze(next);
    for (const inner of Object.values(next) as readonly JsonValue[]) open.push(inner);
  }
}
