/** A value a condition compares with. */
export type JsonScalar = string | number | boolean;

/** Any value that `JSON.parse` can give. */
export type JsonValue = JsonScalar | null | readonly JsonValue[] | JsonObject;

/** A JSON object. Its keys are the user's (also `__proto__`): read them with `Object.hasOwn`. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}
