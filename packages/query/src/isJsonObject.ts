import type { JsonObject, JsonScalar, JsonValue } from './tree/Json.js';

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isJsonScalar(value: JsonValue | undefined): value is JsonScalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Own property only: a key such as `constructor` or `__proto__` is plain data. */
export function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
