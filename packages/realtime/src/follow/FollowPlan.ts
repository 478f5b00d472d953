/*
 * How a followed search is kept up to date. A kept search reads some hits more than its window, so that hits that leave
 * can be replaced without a search, and sorts equal hits by `_id`, so that each hit has one place.
 */
import { isJsonObject, type DocumentRight, type JsonObject } from '@millrace/kernel';
import {
  bindSearch,
  followMode,
  mentionsNow,
  parseSearch,
  type CompiledMapping,
  type SearchRequest,
  type Sort,
} from '@millrace/query';
import { measuredAggregations, searchViewOf } from '@millrace/search';
import { rightIdOf } from '../matching/rightIdOf.js';

/** Parts by which documents that don't match the query have an effect on the result: `min_doc_count: 0` lists their values. */
const WIDER = /"(_score|global|top_hits|min_score|min_doc_count|rescore)"/;

/** A search that is kept up to date from each change. */
export interface KeptPlan {
  readonly mode: 'incremental';
  /** The test of its changes: `{query: Q}`. */
  readonly changes: JsonObject;
  /** With `_id` as the last criterion, a longer window and aggregations that can be kept. */
  readonly request: SearchRequest;
  /** As in the search. */
  readonly aggregations: SearchRequest['aggregations'];
  readonly from: number;
  readonly size: number;
  /** Number of the sort values that the hits show. */
  readonly shownSorts: number;
  /** Of the right that the search is limited to, see `rightIdOf`. */
  readonly rightId: string;
}

/** A search that is run again. */
export interface RerunPlan {
  readonly mode: 'rerun';
  readonly because: string;
  /** The test of its changes; `{}`: every document. */
  readonly changes: JsonObject;
}

export type FollowPlan = KeptPlan | RerunPlan;

/** At least this many hits in addition to the window. */
const MIN_SLACK = 20;
const MAX_HITS = 10_000;

export function rerunPlan(search: JsonObject, because: string): RerunPlan {
  return { mode: 'rerun', because, changes: changesOf(search) };
}

/**
 * @param right to the documents that the search sees; null: all
 * @throws QueryError if the search is wrong or doesn't fit the mapping
 */
export function planFollow(
  search: JsonObject,
  right: DocumentRight | null,
  mapping: CompiledMapping,
  nowMs: number,
): FollowPlan {
  const limited = right && whyRerunWithin(right);
  if (limited !== null) return rerunPlan(search, limited);
  const request = parseSearch(search);
  const chosen = followMode(bindSearch(request, mapping, nowMs));
  if (chosen.mode === 'rerun') return rerunPlan(search, chosen.because);
  const { from, size, sort, aggregations } = request;
  const hits = Math.min(MAX_HITS, from + size + Math.max(MIN_SLACK, size));
  const byScore: Sort = { kind: 'score', order: 'desc', path: 'sort' };
  const byId: Sort = { kind: 'id', order: 'asc', path: 'sort' };
  const kept: SearchRequest = {
    ...request,
    from: 0,
    size: size === 0 ? 0 : hits,
    sort: [...(sort ?? [byScore]), byId],
    aggregations: measuredAggregations(aggregations),
    ...(right && { view: searchViewOf(right) }),
  };
  // More keys may be too many.
  bindSearch(kept, mapping, nowMs);
  const changes = { query: queryOf(search, request) };
  const shownSorts = sort?.length ?? 0;
  return {
    mode: 'incremental',
    changes,
    request: kept,
    aggregations,
    from,
    size,
    shownSorts,
    rightId: rightIdOf(right),
  };
}

/** Why a search within a right can't be kept up to date from each change; null: it can. */
function whyRerunWithin({ key, grants }: DocumentRight): string | null {
  if (grants.some(({ fields }) => fields !== null)) return 'the user may read some of the fields only';
  return mentionsNow(key) ? 'the right of the user is relative to now' : null;
}

function queryOf(search: JsonObject, request: SearchRequest): JsonObject {
  const [query, filter] = [search.query, search.filter].map((part) =>
    isJsonObject(part) && Object.keys(part).length > 0 ? part : undefined,
  );
  if (query !== undefined && filter !== undefined) {
    return { bool: { must: [query], filter: [filter] } };
  }
  if (query !== undefined || filter !== undefined) return query ?? filter ?? {};
  // The body may be the query itself.
  return request.query.kind === 'match_all' ? { match_all: {} } : search;
}

/**
 * The test of the changes that can concern a search: its query, or every document where scores or parts of the search
 * look beyond the matches.
 */
function changesOf(search: JsonObject): JsonObject {
  const { query, size, sort, track_scores: keepsScores } = search;
  const isByFields = size === 0 || (sort !== undefined && keepsScores !== true);
  if (query === undefined || !isByFields || WIDER.test(JSON.stringify(search))) return {};
  return { query };
}
