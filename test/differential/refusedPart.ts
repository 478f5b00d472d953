/*
 * A server does not look at a clause beside one that can match nothing, where our parser refuses the request. To tell
 * that from a clause that the server would take, the refused part is put to it alone.
 */
import type { JsonObject, JsonValue } from '@millrace/kernel';
import type { RequestBody } from './Answer.js';

const PATH = /\b(query|filter|post_filter|aggs|aggregations|sort)((?:\.|\[)[^\s:,]+)/;
const QUERIES =
  /^(bool|boosting|constant_score|dis_max|exists|function_score|fuzzy|geo_\w+|ids|match\w*|multi_match|nested|prefix|\w*query_string|range|regexp|terms?|wildcard)$/;

/** The innermost query, the sort, or the aggregations, that a refusal names; undefined where it names none. */
export function refusedPart(request: RequestBody, reason: string): RequestBody | undefined {
  const [, root = '', rest = ''] = PATH.exec(reason) ?? [];
  const start = request[root];
  const sort = root === 'sort' ? start : sortOfTopHits(start, rest);
  if (sort !== undefined) return { sort: withoutFilters(sort) };
  const query = innermostQuery(start, rest.replace(/^\./, '').split('.'));
  if (query !== undefined) return { query };
  return root.startsWith('agg') ? { size: 0, aggs: start ?? {} } : undefined;
}

/** The sort of the `top_hits` that a path leads through, which a server may find no bucket to look at for. */
function sortOfTopHits(start: JsonValue | undefined, rest: string): JsonValue | undefined {
  const [, above] = /^\.(\S*\btop_hits\.sort)\b/.exec(rest) ?? [];
  let value = start;
  for (const step of above?.split('.') ?? []) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as JsonObject)[step];
  }
  return above === undefined ? undefined : value;
}

function innermostQuery(
  start: JsonValue | undefined,
  steps: readonly string[],
): JsonObject | undefined {
  let found: JsonObject | undefined;
  let value = start;
  for (const step of steps) {
    const [, key = '', position] = /^(\w+)(?:\[(\d+)\])?/.exec(step) ?? [];
    if (typeof value !== 'object' || value === null || Array.isArray(value)) break;
    const body: JsonValue | undefined = (value as JsonObject)[key];
    if (body === undefined) break;
    if (QUERIES.test(key)) found = { [key]: alone(key, body) };
    value = Array.isArray(body) ? (body as readonly JsonValue[])[Number(position ?? 0)] : body;
  }
  return found;
}

/** Sorts by nested objects without the filter that may choose none of them. */
function withoutFilters(sort: JsonValue): JsonValue {
  if (Array.isArray(sort)) return sort.map((each: JsonValue) => withoutFilters(each));
  if (typeof sort !== 'object' || sort === null) return sort;
  const rest = Object.entries(sort).filter(([key]) => key !== 'filter');
  return Object.fromEntries(rest.map(([key, value]) => [key, withoutFilters(value)]));
}

/** Functions and paths are not looked at where the query inside matches nothing. */
function alone(key: string, body: JsonValue): JsonValue {
  const holdsQuery = key === 'function_score' || key === 'nested';
  return holdsQuery ? { ...(body as JsonObject), query: { match_all: {} } } : body;
}
