import { isJsonObject, securityErrors, showValue, type JsonObject, type JsonValue } from '@millrace/kernel';
import { isReservedField } from '../users/RESERVED_FIELD.js';

const MAX_SUID_BYTES = 512;
const MAX_PROFILES = 1_000;
// Results omit properties with these names, so free properties can't use them.
const SECRET_PROPERTIES = ['password', 'credentials', 'currentPassword'];
const REFUSED = /[\p{Cc}\p{Cs}]/u;

/** The parsed body of a user. */
export interface UserBody {
  readonly profileIds: readonly string[] | undefined;
  readonly suid: string | undefined;
  /** Values for strategies, by the property that contained them. Secret. */
  readonly secrets: ReadonlyMap<string, JsonValue>;
  /** Free properties. */
  readonly content: JsonObject;
}

/**
 * Parses the body of a user (SEC-40).
 * @param secretProperties properties that installed strategies consume
 * @throws security.invalid_user (400) naming the property, never the value of a secret
 */
export function parseUserBody(body: JsonObject, secretProperties: ReadonlySet<string>): UserBody {
  const secrets = new Map<string, JsonValue>();
  const content: [string, JsonValue][] = [];
  for (const [key, value] of Object.entries(body)) {
    if (secretProperties.has(key)) secrets.set(key, value);
    else if (key === 'profileIds' || key === 'profileId' || key === 'suid') continue;
    else if (SECRET_PROPERTIES.includes(key)) {
      throw invalid(
        `${key}: no installed strategy takes it (@millrace/auth-local takes passwords), and it would be kept in the clear`,
      );
    } else if (key.startsWith('_') || isReservedField(key)) {
      throw invalid(`${JSON.stringify(key.slice(0, 100))} is a reserved property`);
    } else content.push([key, value]);
  }
  return {
    profileIds: readProfileIds(body),
    suid: readSuid(body),
    secrets,
    content: Object.fromEntries(content),
  };
}

function readProfileIds(body: JsonObject): readonly string[] | undefined {
  const list = Object.hasOwn(body, 'profileIds') ? toIdList(body['profileIds']) : undefined;
  if (!Object.hasOwn(body, 'profileId')) return list;
  const single = body['profileId'];
  if (typeof single !== 'string') {
    throw invalid(`profileId: expected a string, got ${showValue(single)}`);
  }
  // Results of getUser contain both; they may be sent back together if they agree.
  if (list !== undefined && list[0] !== single) {
    throw invalid(`profileId: expected the first of profileIds, got ${showValue(single)}`);
  }
  return list ?? [single];
}

function toIdList(value: unknown): readonly string[] {
  const isList = Array.isArray(value) && value.length > 0 && value.length <= MAX_PROFILES;
  if (!isList) {
    throw invalid(`profileIds: expected a list of 1 to ${MAX_PROFILES} strings, got ${showValue(value)}`);
  }
  const ids = new Set<string>();
  for (const [i, id] of value.entries()) {
    if (typeof id !== 'string') throw invalid(`profileIds[${i}]: expected a string, got ${showValue(id)}`);
    ids.add(id);
  }
  return [...ids];
}

function readSuid(body: JsonObject): string | undefined {
  const value = Object.hasOwn(body, 'suid') ? body['suid'] : undefined;
  if (value === undefined || value === null) return undefined;
  const isText = typeof value === 'string' && value !== '' && !REFUSED.test(value);
  if (isText && Buffer.byteLength(value) <= MAX_SUID_BYTES) return value;
  throw invalid(`suid: expected a string of 1 to ${MAX_SUID_BYTES} bytes without control characters`);
}

/**
 * @param protectedProperties properties that only administrators write, since conditions in roles read them
 * @throws security.invalid_user (400) if the body sets a property that users may not set
 */
export function assertOwnProperties(
  { profileIds, suid, content }: UserBody,
  action: string,
  protectedProperties: readonly string[],
): void {
  if (profileIds !== undefined) throw invalid(`profileIds can't be given to ${action}`);
  if (suid !== undefined) throw invalid(`suid can't be given to ${action}`);
  // The key "team.lead" addresses the same path as a key below "team".
  const isProtected = (key: string) => protectedProperties.some((name) => key === name || key.startsWith(`${name}.`));
  const refused = Object.keys(content).find(isProtected);
  if (refused === undefined) return;
  const shown = JSON.stringify(refused.slice(0, 100));
  throw invalid(`${shown} can't be given to ${action}: administrators alone write it`);
}

/** @throws security.invalid_user (400) if no profile is given */
export function requireProfiles({ profileIds }: UserBody): readonly string[] {
  if (profileIds !== undefined) return profileIds;
  throw invalid('profileIds is missing: expected a list of profile identifiers');
}

/** Merges a change into free properties: objects key by key, everything else replaced. Neither is modified. */
export function mergeContent(base: JsonObject, change: JsonObject): JsonObject {
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(change)) {
    const known = merged.get(key);
    const areObjects = isJsonObject(known) && isJsonObject(value);
    merged.set(key, areObjects ? mergeContent(known, value) : value);
  }
  // fromEntries defines keys, so that `__proto__` stays data.
  return Object.fromEntries(merged);
}

function invalid(reason: string) {
  return securityErrors.invalid_user({ reason });
}
