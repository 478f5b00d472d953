import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';

const MAX_IDENTIFIER_LENGTH = 1_024;
// Cc: control characters. Cs: halves of surrogate pairs, which no UTF-8 can hold.
const REFUSED = /[\p{Cc}\p{Cs}]/u;

/** The value at a path of attributes: `sub`, or `profile.name`; a key that holds a dot itself wins. Absent: undefined. */
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

/** The provider's identifier of a user: a text, or an integer (GitHub has them). @returns null where it is neither */
export function readIdentifier(attributes: JsonObject, path: string): string | null {
  const value = readAttribute(attributes, path);
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  if (typeof value !== 'string' || value === '' || value.length > MAX_IDENTIFIER_LENGTH)
    return null;
  return REFUSED.test(value) ? null : value;
}

/** Properties of a new user, each from its attribute; what the provider doesn't say is left out. */
export function mapAttributes(
  attributes: JsonObject,
  attributeMap: ReadonlyMap<string, string>,
): JsonObject {
  const found = [...attributeMap].flatMap(([property, path]): [string, JsonValue][] => {
    const value = readAttribute(attributes, path);
    return value === undefined || value === null ? [] : [[property, value]];
  });
  return Object.fromEntries(found);
}
