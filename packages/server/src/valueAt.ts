import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';
import { own } from '@millrace/language';

/** The value at a path of keys; null if there is none. */
export function valueAt(value: JsonValue, ...path: readonly string[]): JsonValue {
  return path.reduce((inner, key) => (isJsonObject(inner) ? (own(inner, key) ?? null) : null), value);
}

/** The object at a path of keys; an empty one if there is none. */
export function objectAt(value: JsonValue, ...path: readonly string[]): JsonObject {
  const found = valueAt(value, ...path);
  return isJsonObject(found) ? found : {};
}
