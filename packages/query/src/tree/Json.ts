/** A value of a term-level query as it stood in the request: the field's type decides later how it is read. */
export type JsonScalar = string | number | boolean;

/** Any value that `JSON.parse` can give. */
export type JsonValue = JsonScalar | null | readonly JsonValue[] | JsonObject;

/** A JSON object; its keys are the user's (also `__proto__`), so read them with `Object.hasOwn`. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}
