/*
 * The request once more, without what the raw server adds of its own: fields that our engine keeps beside the documents
 * and fields with `index: false`, which a search over all fields reaches, and hits below `min_score` that aggregations go on
 * counting. Where the server answers this as our engine answers the request, nothing else parts them.
 */
import type { JsonObject, JsonValue } from '@millrace/kernel';
import type { RequestBody } from './Answer.js';

const OVER_FIELDS = /^(multi_match|query_string|simple_query_string)$/;
const METADATA = '_millrace';

/** Whether a query asks for fields by a pattern that the engine's own fields fit, or for all. */
export function searchesAllFields(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => {
    if (OVER_FIELDS.test(key)) return isOverAll(inner as JsonObject);
    return (key === 'exists' && JSON.stringify(inner).includes('"*')) || searchesAllFields(inner);
  });
}

function isOverAll({ fields, default_field: one }: JsonObject): boolean {
  const isNone = fields === undefined || (Array.isArray(fields) && fields.length === 0);
  return (isNone && one === undefined) || /"\*/.test(JSON.stringify([fields, one]));
}

/** What searches all fields, put to the engine's own ones alone: what else is found is not found by them. */
export function inOwnFields(request: RequestBody): RequestBody | undefined {
  return inFields(request, [`${METADATA}.*`], METADATA);
}

/** What searches all fields, put to those with `index: false` alone; undefined where there is none. */
export function inUnindexedFields(
  request: RequestBody,
  mapping: JsonObject,
): RequestBody | undefined {
  const fields = [...unindexedFields(mapping, '')];
  return fields.length === 0 ? undefined : inFields(request, fields);
}

function* unindexedFields(body: JsonObject, prefix: string): Generator<string> {
  for (const [key, inner] of Object.entries({
    ...objectIn(body, 'properties'),
    ...objectIn(body, 'fields'),
  })) {
    const [field, name] = [inner as JsonObject, `${prefix}${key}`];
    if (field['index'] === false) yield name;
    yield* unindexedFields(field, `${name}.`);
  }
}

function objectIn(body: JsonObject, key: string): JsonObject | undefined {
  return body[key] as JsonObject | undefined;
}

/** @param existing the field that `exists` of all fields is asked for; absent: it is left out */
function inFields(
  request: RequestBody,
  fields: readonly string[],
  existing?: string,
): RequestBody | undefined {
  const should = [...searchesOver(request, fields, existing)];
  return should.length === 0 ? undefined : { size: 100, query: { bool: { should } } };
}

function* searchesOver(
  value: JsonValue | undefined,
  fields: readonly string[],
  existing: string | undefined,
): Generator<JsonObject> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value as JsonObject)) {
    if (OVER_FIELDS.test(key) && isOverAll(inner as JsonObject)) {
      const { default_field: _, ...options } = inner as JsonObject;
      yield { [key]: { ...options, fields, lenient: true } };
    } else if (key === 'exists' && JSON.stringify(inner).includes('"*')) {
      if (existing !== undefined) yield { exists: { field: existing } };
    } else yield* searchesOver(inner, fields, existing);
  }
}

/** The minimum of the score as a part of the query, so that aggregations see it; undefined where they don't matter. */
export function withMinimumInQuery(request: RequestBody): RequestBody | undefined {
  const { min_score: minimum, query, filter, ...rest } = request;
  if (minimum === undefined) return undefined;
  const scored: JsonValue =
    filter === undefined
      ? (query ?? { match_all: {} })
      : query === undefined
        ? { constant_score: { filter } }
        : { bool: { must: [query], filter: [filter] } };
  return { ...rest, query: { function_score: { query: scored, min_score: minimum } } };
}
