/** Any value that JSON text can hold. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object with members that only the data know. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/**
 * Content that a caller sends: any object. The values are `any`, because TypeScript refuses to assign an object with a
 * declared interface to an index signature of anything else.
 */
export interface FreeContent {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly [key: string]: any;
}
