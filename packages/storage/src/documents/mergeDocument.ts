/*
 * The deep merge of `update` (DOC-13): objects are merged key by key, arrays and scalars replace, null is stored. Only
 * objects on the path to a change are copied; if nothing changes, the base itself is returned, which is how updates
 * without effect are detected. Keys are plain data: `__proto__` is defined, never assigned.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';
import { isEqualJson } from '../isEqualJson.js';

/** @returns `base` with `changes` merged in; `base` itself if that changes nothing. Neither is modified. */
export function mergeDocument(base: JsonObject, changes: JsonObject): JsonObject {
  let merged: Record<string, JsonValue> | undefined;
  for (const key of Object.keys(changes)) {
    const change = changes[key] as JsonValue;
    const isThere = Object.hasOwn(base, key);
    const value = isThere ? mergeValue(base[key] as JsonValue, change) : change;
    if (isThere && value === base[key]) continue;
    merged ??= { ...base };
    setOwn(merged, key, value);
  }
  return merged ?? base;
}

function mergeValue(base: JsonValue, change: JsonValue): JsonValue {
  if (isJsonObject(base) && isJsonObject(change)) return mergeDocument(base, change);
  return isEqualJson(base, change) ? base : change;
}

function setOwn(target: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key !== '__proto__') target[key] = value;
  else
    Object.defineProperty(target, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
}
