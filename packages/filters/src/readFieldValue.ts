import { isJsonObject, type JsonObject, type JsonValue, own } from '@millrace/language';

/**
 * The value of a field path in a document (FILTER-4): `.` separates levels, a key that contains dots is reached by the
 * same path, and if several spellings are present the last in document order counts. Arrays are not entered. Each
 * object of the document is visited at most once, as its position has one path only.
 * @returns undefined if absent or null
 */
export function readFieldValue(document: JsonObject, path: string): JsonValue | undefined {
  const dot = path.indexOf('.');
  if (dot < 0) return own(document, path) ?? undefined;
  let found: JsonValue | undefined;
  let keyOfFound: string | undefined;
  for (let end = dot; ; end = path.indexOf('.', end + 1)) {
    const key = end < 0 ? path : path.slice(0, end);
    const value = Object.hasOwn(document, key)
      ? readRest(document[key], end < 0 ? undefined : path.slice(end + 1))
      : undefined;
    if (value !== undefined) {
      const counts = keyOfFound === undefined || isLater(document, key, keyOfFound);
      if (counts) [found, keyOfFound] = [value, key];
    }
    if (end < 0) return found;
  }
}

function readRest(value: JsonValue | undefined, rest: string | undefined): JsonValue | undefined {
  if (rest === undefined) return value ?? undefined;
  return isJsonObject(value) ? readFieldValue(value, rest) : undefined;
}

function isLater(document: JsonObject, key: string, than: string): boolean {
  for (const each of Object.keys(document)) {
    if (each === key) return false;
    if (each === than) return true;
  }
  return false;
}
