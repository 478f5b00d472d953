import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';

/** True for equal JSON values, regardless of the order of keys. */
export function isEqualJson(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  if (isJsonObject(a)) return isJsonObject(b) && isEqualObject(a, b);
  if (!isList(a) || !isList(b) || a.length !== b.length) return false;
  return a.every((item, i) => isEqualJson(item, b[i] as JsonValue));
}

function isEqualObject(a: JsonObject, b: JsonObject): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isEqualJson(a[key] as JsonValue, b[key] as JsonValue));
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
