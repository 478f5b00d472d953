import type { JsonObject, JsonValue } from '@millrace/language';
import {
  type BoundSearch,
  type CompiledMapping,
  METADATA_FIELDS,
  QueryError,
  type BoundAggregation,
} from '@millrace/query';
import { VERSION_FIELD } from '../client/METADATA.js';
import { toAggregations } from './toAggregations.js';
import { toElasticsearchQuery } from './toElasticsearchQuery.js';
import { toHighlight } from './toHighlight.js';
import { toNamedGrants } from './namedGrants.js';
import { toSearchAfter, toSort } from './toSort.js';
import { toSourceFilter } from './toSourceFilter.js';
import { toVisibleAggregations } from './visibleAggregations.js';

/** Levels of `terms` in each other. */
const MAX_LEVELS = 5;

/**
 * Refuses aggregations that Elasticsearch can't interrupt (SEARCH-73). It doesn't check for cancellation while it puts
 * together the buckets of `terms` in each other, and their number grows with each level: eight levels of 400 values run
 * for minutes after the client has left, and may take all of its memory.
 * @throws QueryError
 */
function assertEndableAggregations(aggregations: readonly BoundAggregation[], aroundCount = 0): void {
  for (const { kind, path, aggregations: children } of aggregations) {
    const count = kind === 'terms' ? aroundCount + 1 : aroundCount;
    if (count > MAX_LEVELS) {
      throw new QueryError(
        'invalid',
        path,
        `terms at ${path} are the ${count}th level of terms in each other, expected at most ${MAX_LEVELS} on this storage engine: use composite`,
      );
    }
    assertEndableAggregations(children, count);
  }
}

/** Fields requested with each hit: its version and its metadata. */
const HIT_FIELDS: readonly JsonValue[] = [
  VERSION_FIELD,
  ...[...METADATA_FIELDS].map(([field, type]) => (type === 'date' ? { field, format: 'epoch_millis' } : field)),
];

/** Time limit of a search, in milliseconds (SEARCH-73). */
export const SEARCH_LIMIT_MS = 30_000;

/**
 * The body of a search for Elasticsearch. Version and metadata of each hit are requested as fields in addition to the
 * document.
 * @param compiled the mapping that the search is bound to
 * @throws QueryError for aggregations that Elasticsearch can't interrupt
 */
export function toSearchBody(request: BoundSearch, compiled: CompiledMapping): JsonObject {
  const { postFilter, sort, aggregations, highlight, searchAfter, minScore } = request;
  assertEndableAggregations(aggregations);
  const timeoutMs = Math.min(request.timeoutMs ?? SEARCH_LIMIT_MS, SEARCH_LIMIT_MS);
  const query = toElasticsearchQuery(request.query, compiled);
  // Elasticsearch may count hits below the minimum score in aggregations, unless the query itself excludes them.
  const isMinimumInQuery = minScore !== undefined && aggregations.length > 0;
  const within = request.within && toElasticsearchQuery(request.within, compiled);
  const grants = toNamedGrants(request.shown, compiled);
  const filter = [within, grants].filter((each) => each !== undefined);
  const visible = filter.length === 0 ? query : { bool: { must: [query], filter } };
  // Elasticsearch highlights nothing for a query that contains the minimum score; the view is no part of the query.
  const marked = isMinimumInQuery || filter.length > 0 ? { highlight_query: query } : {};
  return {
    query: isMinimumInQuery ? { function_score: { query: visible, min_score: minScore } } : visible,
    from: request.from,
    size: request.size,
    timeout: `${Math.max(1, Math.ceil(timeoutMs))}ms`,
    track_total_hits: true,
    _source: toSourceFilter(request.source),
    docvalue_fields: HIT_FIELDS,
    ...(request.trackScores ? { track_scores: true } : {}),
    ...(postFilter === undefined ? {} : { post_filter: toElasticsearchQuery(postFilter, compiled) }),
    ...(sort === undefined ? {} : { sort: sort.map((each) => toSort(each, compiled)) }),
    ...(aggregations.length === 0
      ? {}
      : {
          aggs: toVisibleAggregations(toAggregations(aggregations, { compiled, ...marked }), aggregations, within),
        }),
    ...(highlight === undefined
      ? {}
      : {
          highlight: {
            ...toHighlight(highlight, compiled),
            ...marked,
          },
        }),
    ...(searchAfter === undefined ? {} : { search_after: toSearchAfter(searchAfter) }),
    ...(minScore === undefined || isMinimumInQuery ? {} : { min_score: minScore }),
  };
}
