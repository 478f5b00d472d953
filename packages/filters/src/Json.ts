/** A value that a condition compares with. */
export type JsonScalar = string | number | boolean;

/** Any value that `JSON.parse` can return. */
export type JsonValue = JsonScalar | null | readonly JsonValue[] | JsonObject;

/** A JSON object. Its keys come from the user (`__proto__` included): read them with `Object.hasOwn`. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}
