/*
 * References to the user in a right on documents: `{"$ref": "user.team"}` in place of a value.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';

const KEY = '$ref';
const ROOT = 'user.';
/** Properties that no user chooses. */
const OWN = ['_id', 'profileIds'];
/** The reference to a value that users may choose themselves: it is compared by identity. */
export const CHOSEN = 'user._id';
/** Queries whose value is a pattern: a user may choose an `_id` such as `*`. */
const PATTERNS = ['wildcard', 'regexp'];

/** No value of the user fits. */
export class Unresolved extends Error {}

/** Gives the value for a reference. @param isList whether the query takes a list there */
type Resolve = (path: string, isList: boolean) => JsonValue;

/**
 * Checks all references of a query.
 * @param protectedProperties properties of users that only administrators write
 * @param refuse creates the error from a message that begins with a path
 */
export function checkReferences(
  query: JsonValue,
  path: string,
  protectedProperties: readonly string[],
  refuse: (message: string) => Error,
): void {
  walk(query, path, [], (reference, at, keys) => {
    const name = typeof reference === 'string' ? reference : JSON.stringify(reference);
    if (typeof reference !== 'string' || !reference.startsWith(ROOT)) {
      throw refuse(`${at}.${KEY}: expected a path such as user._id, got ${name.slice(0, 100)}`);
    }
    const property = reference.slice(ROOT.length).split('.', 1)[0] ?? '';
    if (![...OWN, ...protectedProperties].includes(property)) {
      throw refuse(
        `${at}.${KEY}: users could choose the value of ${reference.slice(0, 100)}: expected user._id, user.profileIds or a property of security.protectedProperties`,
      );
    }
    if (keys.some((key) => PATTERNS.includes(key))) {
      throw refuse(`${at}.${KEY}: a value of the user can't be a pattern: use term or terms`);
    }
  });
}

/** The query with another value for each reference. @throws what `resolve` throws */
export function replaceReferences(query: JsonObject, resolve: Resolve): JsonObject {
  return replace(query, [], resolve) as JsonObject;
}

/** The value of a reference for a user. @throws Unresolved if there is none, or it is an object */
export function resolveReference(claims: JsonObject, path: string, isList: boolean): JsonValue {
  let value: JsonValue | undefined = claims;
  for (const key of path.slice(ROOT.length).split('.')) {
    value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  if (isList) {
    const list = (Array.isArray(value) ? value : [value]) as readonly (JsonValue | undefined)[];
    return list.map(scalarOf);
  }
  return scalarOf(value);
}

function scalarOf(value: JsonValue | undefined): JsonValue {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return value;
  }
  throw new Unresolved();
}

function replace(value: JsonValue, keys: readonly string[], resolve: Resolve): JsonValue {
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((item) => replace(item, keys, resolve));
  }
  if (!isJsonObject(value)) return value;
  const reference = referenceIn(value);
  if (reference !== undefined) return resolve(reference as string, takesList(keys));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, replace(inner, [...keys, key], resolve)]),
  );
}

function walk(
  value: JsonValue,
  path: string,
  keys: readonly string[],
  visit: (reference: JsonValue, path: string, keys: readonly string[]) => void,
): void {
  if (Array.isArray(value)) {
    (value as readonly JsonValue[]).forEach((item, at) => walk(item, `${path}[${at}]`, keys, visit));
    return;
  }
  if (!isJsonObject(value)) return;
  const reference = referenceIn(value);
  if (reference !== undefined) return visit(reference, path, keys);
  for (const [key, inner] of Object.entries(value)) {
    walk(inner, `${path}.${key.slice(0, 100)}`, [...keys, key], visit);
  }
}

function referenceIn(value: JsonObject): JsonValue | undefined {
  return Object.hasOwn(value, KEY) ? value[KEY] : undefined;
}

/** `terms: {<field>: …}` and `ids: {values: …}` take lists. */
function takesList(keys: readonly string[]): boolean {
  const [kind, key] = keys.slice(-2);
  return kind === 'terms' || (kind === 'ids' && key === 'values');
}
