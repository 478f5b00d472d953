import { isJsonObject, type JsonValue, own } from '@millrace/language';
import { forbidden, invalid, QueryError } from '../errors.js';
import { NO_CLAUSES } from '../kinds/compoundKinds.js';
import { present } from '../present.js';
import { quote, show } from '../show.js';
import type { Aggregation } from '../tree/Aggregation.js';
import type { Query } from '../tree/Query.js';
import type { SearchRequest } from '../tree/SearchRequest.js';
import type { Sort } from '../tree/Sort.js';
import { AggregationParser } from '../aggregations/AggregationParser.js';
import { Options } from '../parse/Options.js';
import { parseHighlight } from '../parse/parseHighlight.js';
import { parseScrollSpan, parseTimeout } from '../parse/parseSpan.js';
import { parseSort } from '../parse/parseSort.js';
import { parseSourceFilter } from '../parse/parseSourceFilter.js';
import { queryParser } from '../kinds/QUERY_PARSERS.js';
import type { QueryParser } from '../parse/QueryParser.js';

const MAX_WINDOW = 10_000;

/** Arguments of the request; they take precedence over the body. */
export interface SearchArguments {
  readonly from?: JsonValue | undefined;
  readonly size?: JsonValue | undefined;
  /** A duration such as `1m`: the search opens a scroll. */
  readonly scroll?: JsonValue | undefined;
  /** Default 10 (`searchUsers`: 20). */
  readonly defaultSize?: number;
}

/**
 * Parses the body of a search (SEARCH-1, SEARCH-2).
 * @throws QueryError
 */
export function parseSearch(body: JsonValue | undefined, given: SearchArguments = {}): SearchRequest {
  const queries = queryParser();
  const bare = bareQuery(body, queries);
  const options = bare === undefined ? openBody(body) : new Options({}, 'body', 'Search');
  const fromGiven = readCount(options, 'from', given.from);
  const sizeGiven = readCount(options, 'size', given.size);
  const [from, size] = [fromGiven ?? 0, sizeGiven ?? given.defaultSize ?? 10];
  const scrollMs = given.scroll === undefined || given.scroll === null ? undefined : readScroll(given.scroll);
  const sort = readSort(options, queries);
  options.drop('track_total_hits');
  const [postFilter, highlight] = [options.raw('post_filter'), options.raw('highlight')];
  const request: SearchRequest = {
    query: bare ?? readRootQuery(options, queries),
    from,
    size,
    aggregations: readAggregations(options, queries),
    source: parseSourceFilter(options.raw('_source'), '_source', true),
    trackScores: options.boolean('track_scores') ?? false,
    version: options.boolean('version') ?? false,
    ...present({
      postFilter: postFilter === undefined ? undefined : queries.parse(postFilter, 'post_filter'),
      fromGiven,
      sizeGiven,
      sort,
      highlight: highlight === undefined ? undefined : parseHighlight(highlight, 'highlight', queries),
      searchAfter: readSearchAfter(options, sort),
      minScore: options.number('min_score'),
      timeoutMs: readTimeout(options),
      scrollMs,
    }),
  };
  endBody(options);
  checkWindow(request);
  return request;
}

/** Body of `count`: `query`, `filter` or a bare query (SEARCH-4). */
export function parseCount(body: JsonValue | undefined): Query {
  const queries = queryParser();
  const bare = bareQuery(body, queries);
  if (bare !== undefined) return bare;
  const options = openBody(body);
  const query = readRootQuery(options, queries);
  endBody(options);
  return query;
}

/** Body of `deleteByQuery`: `query` or `filter` must be present and not empty (SEARCH-4). */
export function parseDeleteByQuery(body: JsonValue | undefined): Query {
  return parseNeededQuery(body, 'Deleting by query', 'delete');
}

/** The query of `updateByQuery`: the same rules as for `deleteByQuery`. */
export function parseUpdateByQuery(body: JsonValue | undefined): Query {
  return parseNeededQuery(body, 'Updating by query', 'update');
}

function parseNeededQuery(body: JsonValue | undefined, purpose: string, verb: string): Query {
  const options = openBody(body);
  const given = ['query', 'filter'].filter((key) => options.has(key));
  const isEmpty = given.every((key) => isEmptyObject(own(options.source, key)));
  if (isEmpty) {
    const unknown = options.rest().find((key) => key !== 'query' && key !== 'filter');
    if (unknown === undefined || given.length > 0) {
      throw invalid('query', `${purpose} needs "query" or "filter"; ask for {"match_all": {}} to ${verb} everything`);
    }
  }
  return parseCount(body);
}

/**
 * Parses one query.
 * @param path its position, for messages
 */
export function parseQuery(value: JsonValue, path = 'query'): Query {
  return queryParser().parse(value, path);
}

const BODY_KEYS: ReadonlySet<string> = new Set(['query', 'filter']);

/** `{<query name>: …}` as the only key. */
function bareQuery(body: JsonValue | undefined, queries: QueryParser): Query | undefined {
  if (!isJsonObject(body)) return undefined;
  const [name, second] = Object.keys(body);
  if (name === undefined || second !== undefined) return undefined;
  if (BODY_KEYS.has(name) || !queries.isQueryName(name)) return undefined;
  return queries.parse(body, 'query');
}

function openBody(body: JsonValue | undefined): Options {
  if (body === undefined || body === null) return new Options({}, 'body', 'Search');
  if (!isJsonObject(body)) throw invalid('body', `The body of a search must be an object, not ${show(body)}`);
  return new Options(body, 'body', 'Search');
}

function endBody(options: Options): void {
  const [key] = options.rest();
  if (key === undefined) return;
  if (/script|^runtime_mappings$|^fields$/.test(key)) {
    throw forbidden(key, `${quote(key)} is not allowed in a search`);
  }
  const unknown = { name: key, known: options.names() };
  throw invalid(key, `Unknown key ${quote(key)} in the body of the search`, unknown);
}

function isEmptyObject(value: JsonValue | undefined): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

function readRootQuery(options: Options, queries: QueryParser): Query {
  const read = (key: string): Query | undefined => {
    const value = options.raw(key);
    if (value === undefined) return undefined;
    return isEmptyObject(value) ? { kind: 'match_all', boost: 1, path: key } : queries.parse(value, key);
  };
  const [query, filter] = [read('query'), read('filter')];
  if (filter === undefined) return query ?? { kind: 'match_all', boost: 1, path: 'query' };
  if (query === undefined) return { kind: 'constant_score', filter, boost: 1, path: 'filter' };
  return { kind: 'bool', ...NO_CLAUSES, must: [query], filter: [filter], boost: 1, path: 'query' };
}

/** `from` or `size`: an integer ≥ 0 or its decimal string; the request's argument takes precedence. */
function readCount(options: Options, key: 'from' | 'size', argument: JsonValue | undefined): number | undefined {
  const inBody = options.raw(key);
  const value = argument ?? inBody;
  if (value === undefined || value === null) return undefined;
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) return count;
  throw invalid(key, `${quote(key)} must be an integer ≥ 0, not ${show(value)}`);
}

function readSort(options: Options, queries: QueryParser): readonly Sort[] | undefined {
  const value = options.raw('sort');
  if (value === undefined) return undefined;
  const sorts = parseSort(value, 'sort', queries);
  return sorts.length === 0 ? undefined : sorts;
}

function readAggregations(options: Options, queries: QueryParser): readonly Aggregation[] {
  const [long, short] = [options.raw('aggregations'), options.raw('aggs')];
  if (long !== undefined && short !== undefined) {
    throw invalid('aggs', '"aggs" and "aggregations" mean the same: give one');
  }
  const parser = new AggregationParser(queries);
  if (long !== undefined) return parser.parse(long, 'aggregations');
  return short === undefined ? [] : parser.parse(short, 'aggs');
}

function readSearchAfter(options: Options, sort: readonly Sort[] | undefined): readonly JsonValue[] | undefined {
  const value = options.raw('search_after');
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw invalid('search_after', `search_after must be a list, not ${show(value)}`);
  const list: readonly JsonValue[] = value;
  if (sort === undefined) throw invalid('search_after', 'search_after needs a sort');
  const [only] = sort;
  if (sort.length === 1 && only?.kind === 'score' && only.order === 'desc') {
    // As Elasticsearch, which doesn't treat this as a sort: pages by score alone would lose hits of equal score.
    throw invalid('search_after', 'search_after needs a sort by more than _score, such as _id');
  }
  if (list.length !== sort.length) {
    throw invalid('search_after', `search_after has ${list.length} values for ${sort.length} sort criteria`);
  }
  for (const item of list) {
    if (typeof item === 'object' && item !== null) {
      throw invalid('search_after', 'search_after must hold strings, numbers, booleans or null');
    }
  }
  return list;
}

function readTimeout(options: Options): number | undefined {
  const value = options.raw('timeout');
  return value === undefined ? undefined : parseTimeout(value);
}

function readScroll(value: JsonValue): number {
  if (typeof value === 'string') return parseScrollSpan(value);
  throw invalid('scroll', `scroll must be a span such as "1m", not ${show(value)}`);
}

/** Checks the page window and the options of scrolls (SEARCH-80, SEARCH-81). */
function checkWindow(request: SearchRequest): void {
  const { from, size, scrollMs, searchAfter } = request;
  if (searchAfter !== undefined && scrollMs !== undefined) {
    throw invalid('search_after', 'search_after cannot be used in a scroll');
  }
  if (searchAfter !== undefined && from > 0) {
    throw invalid('from', '"from" must be 0 or absent with search_after');
  }
  if (scrollMs !== undefined && from > 0) throw invalid('from', '"from" must be 0 in a scroll');
  if (scrollMs !== undefined && size < 1) throw invalid('size', '"size" must be at least 1 in a scroll');
  if (from + size > MAX_WINDOW) {
    throw new QueryError(
      'window_too_large',
      'size',
      `from + size is ${from + size}, more than ${MAX_WINDOW}: use scroll or search_after to read further`,
    );
  }
}
