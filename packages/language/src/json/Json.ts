/** A JSON value that isn't null, an array or an object. */
export type JsonScalar = string | number | boolean;

/** Any value that JSON text can hold. */
export type JsonValue = JsonScalar | null | readonly JsonValue[] | JsonObject;

/** A JSON object. Its keys may come from a user (`__proto__` included): read them with `Object.hasOwn`. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** True for a JSON object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for a string, a number or a boolean. */
export function isJsonScalar(value: unknown): value is JsonScalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Own property only: a key such as `constructor` or `__proto__` is plain data. */
export function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
