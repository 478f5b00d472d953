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
  const { id, profileIds, content } = parts;
  freezeDeeply([profileIds, content]);
  const user: User = { ...content, _id: id, profileIds };
  return Object.freeze({ ...parts, version, user: Object.freeze(user) });
}

/** The user as results show it: free properties, profiles and suid, never anything secret. */
export function toPublicSource({ content, profileIds, suid }: UserRecord): JsonObject {
  return { ...content, profileIds, profileId: profileIds[0] ?? '', suid };
}

/** True for a user with profile `admin` (decisions.md section 7). */
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
