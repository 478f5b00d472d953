import type { JsonObject, JsonValue } from '../../json/Json.js';

type Properties = Readonly<Record<string, JsonObject>>;

/**
 * Builders for the JSON Schemas (2020-12) of the contents and results of actions. Objects built here are open: clients
 * must accept additional members, since an API of one major version only grows (PROTO-90).
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
  /** An object with arbitrary member names. */
  mapOf: (values: JsonObject): JsonObject => ({ type: 'object', additionalProperties: values }),
  list: (items: JsonObject): JsonObject => ({ type: 'array', items }),
  orNull: (inner: JsonObject): JsonObject => ({ anyOf: [inner, { type: 'null' }] }),
  /** An object with required and optional members. */
  object: (always: Properties, sometimes: Properties = {}): JsonObject => ({
    type: 'object',
    ...(Object.keys(always).length === 0 ? undefined : { required: Object.keys(always) }),
    properties: { ...always, ...sometimes },
  }),
  /** Sets the title, under which descriptions show the schema once, and optionally a description. */
  named: (title: string, inner: JsonObject, description?: string): JsonObject => ({
    title,
    ...(description === undefined ? undefined : { description }),
    ...inner,
  }),
} as const;
