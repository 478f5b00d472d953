import type { JsonObject, JsonValue } from '../json/Json.js';

type Properties = Readonly<Record<string, JsonObject>>;

/**
 * Makers of the JSON Schemas (2020-12) by which actions describe contents and results. Objects made here are open: clients
 * must accept further members, since an API of one major version only adds (PROTO-90).
 */
export const schema = {
  any: {} as JsonObject,
  text: { type: 'string' } as JsonObject,
  boolean: { type: 'boolean' } as JsonObject,
  number: { type: 'number' } as JsonObject,
  /** @param minimum default 0 */
  integer: (minimum = 0): JsonObject => ({ type: 'integer', minimum }),
  /** One of some values. */
  oneOf: (...values: readonly JsonValue[]): JsonObject => ({ enum: values }),
  /** An object whose members have names that only the data know. */
  mapOf: (values: JsonObject): JsonObject => ({ type: 'object', additionalProperties: values }),
  list: (items: JsonObject): JsonObject => ({ type: 'array', items }),
  orNull: (inner: JsonObject): JsonObject => ({ anyOf: [inner, { type: 'null' }] }),
  /** An object with members that are always there, and members that may be. */
  object: (always: Properties, sometimes: Properties = {}): JsonObject => ({
    type: 'object',
    ...(Object.keys(always).length === 0 ? undefined : { required: Object.keys(always) }),
    properties: { ...always, ...sometimes },
  }),
  /** Gives it a title, under which descriptions show it once, and perhaps a sentence about it. */
  named: (title: string, inner: JsonObject, description?: string): JsonObject => ({
    title,
    ...(description === undefined ? undefined : { description }),
    ...inner,
  }),
} as const;
