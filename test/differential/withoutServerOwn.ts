/*
 * The request once more, without what the raw server adds of its own: fields that our engine keeps beside the documents,
 * which a search over all fields reaches, and hits below `min_score` that aggregations go on counting. Where the server
 * answers this as our engine answers the request, nothing else parts them.
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
  const should = [...searchesOver(request)];
  return should.length === 0 ? undefined : { size: 100, query: { bool: { should } } };
}

function* searchesOver(value: JsonValue | undefined): Generator<JsonObject> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value as JsonObject)) {
    if (OVER_FIELDS.test(key) && isOverAll(inner as JsonObject)) {
      const { default_field: _, ...options } = inner as JsonObject;
      yield { [key]: { ...options, fields: [`${METADATA}.*`], lenient: true } };
    } else if (key === 'exists' && JSON.stringify(inner).includes('"*')) {
      yield { exists: { field: METADATA } };
    } else yield* searchesOver(inner);
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
