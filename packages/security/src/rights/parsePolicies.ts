/*
 * The grammar of profiles (SEC-20). Unknown keys are refused: a misspelt `restrictedTo` or `collections` would
 * silently remove a restriction.
 */
import { isJsonObject, securityErrors, showValue, type JsonObject, type JsonValue } from '@millrace/kernel';
import type { Policy, Restriction } from './Policy.js';

const LIST_KEYS = ['policies', 'roles'];
const ROLE_KEYS = ['_id', 'roleId'];
/**
 * Present in profiles exported from compatible servers. Ignored: the internal index is inaccessible to every profile.
 */
const IGNORED_KEYS = ['allowInternalIndex'];

/**
 * Parses the policies of a profile's body, sent as `policies` or `roles`. The caller checks that the roles exist.
 * @throws security.invalid_profile (400) naming the path: `policies[0].restrictedTo[1].index is missing`
 */
export function parsePolicies(body: JsonObject): readonly Policy[] {
  const given = LIST_KEYS.filter((key) => Object.hasOwn(body, key));
  const [key] = given;
  if (key === undefined) throw refuse('policies is missing: expected a list of policies');
  if (given.length > 1) throw refuse('policies and roles are the same: expected one, got both');
  const list = readList(body[key], key, 'policies');
  if (list.length === 0) throw refuse(`${key} is empty: expected at least one policy`);
  return list.map((each, i) => readPolicy(each, `${key}[${i}]`));
}

function readPolicy(value: JsonValue, path: string): Policy {
  const policy = readObject(value, path, '{_id: "<role>", restrictedTo?: […]}');
  assertKnownKeys(policy, path, [...ROLE_KEYS, 'restrictedTo'], IGNORED_KEYS);
  const given = ROLE_KEYS.filter((key) => Object.hasOwn(policy, key));
  const ids = given.map((key) => readText(policy[key], `${path}.${key}`, 'the id of a role'));
  const [roleId, other] = ids;
  if (roleId === undefined) throw refuse(`${path}._id is missing: expected the id of a role`);
  if (other !== undefined && other !== roleId) {
    throw refuse(`${path}: _id and roleId name two roles, expected one`);
  }
  if (!Object.hasOwn(policy, 'restrictedTo')) return { roleId, restrictedTo: null };
  const at = `${path}.restrictedTo`;
  const entries = readList(policy.restrictedTo, at, '{index, collections?}');
  return { roleId, restrictedTo: entries.map((each, i) => readRestriction(each, `${at}[${i}]`)) };
}

function readRestriction(value: JsonValue, path: string): Restriction {
  const entry = readObject(value, path, '{index, collections?}');
  assertKnownKeys(entry, path, ['index', 'collections']);
  if (!Object.hasOwn(entry, 'index')) throw refuse(`${path}.index is missing`);
  const index = readName(entry.index, `${path}.index`, 'the name of an index');
  if (!Object.hasOwn(entry, 'collections')) return { index };
  const at = `${path}.collections`;
  const names = readList(entry.collections, at, 'names of collections');
  const collections = names.map((name, i) => readName(name, `${at}[${i}]`, 'the name of a collection'));
  return { index, collections };
}

function readName(value: JsonValue | undefined, path: string, expected: string): string {
  const name = readText(value, path, expected);
  if (!name.includes('*')) return name;
  throw refuse(`${path}: expected ${expected}, got ${showValue(name)}: there are no patterns here`);
}

function readText(value: JsonValue | undefined, path: string, expected: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw refuse(`${path}: expected ${expected}, got ${showValue(value)}`);
}

function readList(value: JsonValue | undefined, path: string, of: string): readonly JsonValue[] {
  if (Array.isArray(value)) return value as readonly JsonValue[];
  throw refuse(`${path}: expected a list of ${of}, got ${showValue(value)}`);
}

function readObject(value: JsonValue, path: string, expected: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw refuse(`${path}: expected ${expected}, got ${showValue(value)}`);
}

function assertKnownKeys(
  object: JsonObject,
  path: string,
  known: readonly string[],
  ignored: readonly string[] = [],
): void {
  const unknown = Object.keys(object).find((key) => !known.includes(key) && !ignored.includes(key));
  if (unknown === undefined) return;
  throw refuse(`${path}.${unknown.slice(0, 100)} is unknown: expected ${known.join(', ')}`);
}

function refuse(reason: string): Error {
  return securityErrors.invalid_profile({ reason });
}
