/** A JSON value that isn't null, an array or an object. */
export type JsonScalar = string | number | boolean;

/** Any value that JSON text can hold. */
export type JsonValue = JsonScalar | null | readonly JsonValue[] | JsonObject;

/** A JSON object. Its keys may come from a user (`__proto__` included): read them with `Object.hasOwn`. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}
