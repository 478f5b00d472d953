import type { JsonObject, JsonValue, User } from '@millrace/kernel';
import { hideFromConditions } from '../rights/userClaims.js';

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
  if (selfWritten.length > 0) hideFromConditions(user, selfWritten);
  return Object.freeze({ ...parts, version, user });
}

/** The user as returned in results: free properties, profiles and suid, never secrets. */
export function toPublicSource({ content, profileIds, suid }: UserRecord): JsonObject {
  return { ...content, profileIds, profileId: profileIds[0] ?? '', suid };
}

function freezeDeeply(roots: readonly JsonValue[]): void {
  const open: JsonValue[] = [...roots];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue;
    Object.freeze(next);
    for (const inner of Object.values(next) as readonly JsonValue[]) open.push(inner);
  }
}
