import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';

const MAX_IDENTIFIER_LENGTH = 1_024;
// Cc: control characters. Cs: unpaired surrogates, which UTF-8 can't represent.
const REFUSED = /[\p{Cc}\p{Cs}]/u;

/**
 * The value at a path of attributes: `sub`, or `profile.name`; a key that contains the dot takes precedence. Absent:
 * undefined.
 */
export function readAttribute(attributes: JsonObject, path: string): JsonValue | undefined {
  if (Object.hasOwn(attributes, path)) return attributes[path];
  let value: JsonValue = attributes;
  for (const key of path.split('.')) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    const inner: JsonValue | undefined = value[key];
    if (inner === undefined) return undefined;
    value = inner;
  }
  return value;
}

/**
 * The provider's identifier of a user: a string, or an integer (GitHub uses integers). @returns null for other values
 */
export function readIdentifier(attributes: JsonObject, path: string): string | null {
  const value = readAttribute(attributes, path);
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  if (typeof value !== 'string' || value === '' || value.length > MAX_IDENTIFIER_LENGTH) return null;
  return REFUSED.test(value) ? null : value;
}

/** Properties of a new user, each from its attribute; missing attributes are omitted. */
export function mapAttributes(attributes: JsonObject, attributeMap: ReadonlyMap<string, string>): JsonObject {
  const found = [...attributeMap].flatMap(([property, path]): [string, JsonValue][] => {
    const value = readAttribute(attributes, path);
    return value === undefined || value === null ? [] : [[property, value]];
  });
  return Object.fromEntries(found);
}
