/** Any value that JSON text can hold. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. Keys such as `__proto__` are plain data: read them with `Object.hasOwn`. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** True for a JSON object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
