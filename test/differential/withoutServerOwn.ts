/*
 * The request once more, without what the raw server adds of its own: fields that our engine keeps beside the documents,
 * which a search over all fields reaches, and hits below `min_score` that aggregations go on counting. Where the server
 * answers this as our engine answers the request, nothing else parts them.
 */
import type { JsonObject, JsonValue } from '@millrace/kernel';
import type { RequestBody } from './Answer.js';

const OVER_FIELDS = /^(multi_match|query_string|simple_query_string)$/;
const METADATA = '_millrace';
/** Those of `query_string`; another query takes them for words. */
const RANGES = /[[{]\S+ TO \S+[\]}]/g;

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
  return anyOf([
    ...searchesOver(request, (options) => (isOverAll(options) ? [`${METADATA}.*`] : [])),
    ...(asksForAny(request) ? [{ exists: { field: METADATA } }] : []),
  ]);
}

/** What searches several fields, put to those that are not indexed, which a server finds by their doc values. */
export function inUnindexedFields(
  request: RequestBody,
  mapping: JsonObject,
): RequestBody | undefined {
  const unindexed = [...unindexedFields(mapping, '')];
  return anyOf([
    ...searchesOver(request, (options) =>
      isOverAll(options) ? unindexed : unindexed.filter((field) => asksFor(options, field)),
    ),
  ]);
}

function asksFor({ fields, default_field: one }: JsonObject, field: string): boolean {
  return [fields ?? one ?? []].flat().some((pattern) => {
    const [name = ''] = typeof pattern === 'string' ? pattern.split('^') : [];
    const text = name.replace(/[^\w*]/g, '\\$&').replaceAll('*', '.*');
    return new RegExp(`^${text}$`).test(field);
  });
}

function anyOf(should: readonly JsonObject[]): RequestBody | undefined {
  return should.length === 0 ? undefined : { size: 100, query: { bool: { should } } };
}

function asksForAny(value: JsonValue | undefined): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value as JsonObject).some(
    ([key, inner]) =>
      (key === 'exists' && JSON.stringify(inner).includes('"*')) || asksForAny(inner),
  );
}

function* unindexedFields(mapping: JsonObject, prefix: string): Generator<string> {
  for (const key of ['properties', 'fields']) {
    for (const [name, field] of Object.entries((mapping[key] ?? {}) as JsonObject)) {
      if ((field as JsonObject)['index'] === false) yield `${prefix}${name}`;
      yield* unindexedFields(field as JsonObject, `${prefix}${name}.`);
    }
  }
}

function* searchesOver(
  value: JsonValue | undefined,
  fieldsFor: (options: JsonObject) => readonly string[],
): Generator<JsonObject> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value as JsonObject)) {
    if (OVER_FIELDS.test(key)) {
      const { default_field: _, ...options } = inner as JsonObject;
      const fields = fieldsFor(inner as JsonObject);
      if (fields.length === 0) continue;
      const { query } = options;
      // What is excluded is found by itself alone.
      const ranges = typeof query === 'string' ? (query.match(RANGES) ?? []) : [];
      for (const text of [query ?? '', ...ranges])
        yield { [key]: { ...options, query: text, fields, lenient: true } };
    } else yield* searchesOver(inner, fieldsFor);
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
