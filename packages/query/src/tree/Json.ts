/** A value of a term-level query as in the request: the field's type determines later how it is read. */
export type JsonScalar = string | number | boolean;

/** Any value that `JSON.parse` can return. */
export type JsonValue = JsonScalar | null | readonly JsonValue[] | JsonObject;

/** A JSON object; its keys come from the user (`__proto__` included), so read them with `Object.hasOwn`. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}
