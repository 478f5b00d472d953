import { schema, type JsonObject } from '@millrace/kernel';

const { text, list, mapOf, orNull, oneOf } = schema;
const anyOf = (...choices: readonly JsonObject[]): JsonObject => ({ anyOf: choices });
const pair = (second: JsonObject): JsonObject => ({
  type: 'array',
  prefixItems: [text, second],
  minItems: 2,
  maxItems: 2,
});
const nil: JsonObject = { type: 'null' };
// Decimal strings beyond 2^53 (MEM-21).
const integer = anyOf({ type: 'integer' }, { type: 'string', pattern: '^-?[0-9]+$' });
const bit = oneOf(0, 1);
const texts = list(text);
/** The id, then field names and values alternately. */
const entries = list(pair(texts));

/** JSON Schemas of results, for descriptions. */
export const RESULT = {
  integer,
  bit,
  text,
  texts,
  entries,
  bits: list(bit),
  ok: { const: 'OK' },
  pong: { const: 'PONG' },
  textOrNull: orNull(text),
  integerOrNull: orNull(integer),
  textsOrNulls: list(orNull(text)),
  integersOrNulls: list(orNull(integer)),
  textMap: mapOf(text),
  type: oneOf('string', 'list', 'set', 'zset', 'hash', 'stream', 'none'),
  inspected: anyOf(text, integer, nil),
  added: anyOf(integer, text, nil),
  subsequence: anyOf(text, integer, { type: 'array' }),
  picked: anyOf(text, texts, nil),
  positions: anyOf(integer, list(integer), nil),
  sorted: anyOf(list(orNull(text)), integer),
  keyAndText: orNull(pair(text)),
  keyAndTexts: orNull(pair(texts)),
  keyAndMember: orNull({ ...texts, minItems: 3, maxItems: 3 }),
  keyAndMembers: orNull(pair(list(pair(text)))),
  points: list(orNull(texts)),
  /** `[name, distance?, hash?, coordinates?]` if any of them is requested. */
  places: list(anyOf(text, { type: 'array', minItems: 2 })),
  streams: orNull(list(pair(entries))),
  time: pair(text),
} satisfies Record<string, JsonObject>;
