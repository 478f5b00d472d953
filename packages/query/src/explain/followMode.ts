import { aggregationKind } from '../aggregations/AGGREGATION_KINDS.js';
import type { BoundSearch } from '../request/bindSearch.js';
import { whyChanging, whyUndecidable } from '../kinds/whyUndecidable.js';
import { describeExcess } from '../cost/measureWork.js';
import { firstReason, kindOf } from '../kinds/QUERY_KINDS.js';
import type { BoundAggregation } from '../tree/BoundAggregation.js';
import type { BoundQuery } from '../tree/Query.js';

/** How the result of a search can be kept up to date while documents change. */
export type FollowMode =
  /** From each change by itself. */
  | { readonly mode: 'incremental' }
  /** By searching again, for this reason. */
  | { readonly mode: 'rerun'; readonly because: string };

/** The mode of a search. */
export function followMode(search: BoundSearch): FollowMode {
  const because = whyRerun(search);
  return because === null ? { mode: 'incremental' } : { mode: 'rerun', because };
}

function whyRerun(search: BoundSearch): string | null {
  const { query, postFilter, aggregations, highlight, minScore, trackScores, searchAfter, excess } = search;
  if (highlight !== undefined) return 'highlight: the hits hold more than the documents';
  if (minScore !== undefined || trackScores) return SCORES;
  if (searchAfter !== undefined) return 'search_after: the hits before the window are unknown';
  if (excess !== undefined) return describeExcess(excess, 'takes too long for each document');
  if (postFilter !== undefined) return 'post_filter: hits and aggregations are of different documents';
  return whyByScore(search) ?? whyUndecidable(query) ?? whyChanging(query) ?? whyInQuery(query) ?? whyNotCounted(aggregations);
} // prettier-ignore

const SCORES = 'scores depend on all documents: sort by fields';

function whyByScore({ sort, size, query }: BoundSearch): string | null {
  if (size === 0) return null;
  if (sort?.some(({ kind }) => kind === 'doc')) return 'the hits are sorted by _doc: sort by fields';
  const isByScore = sort?.some(({ kind }) => kind === 'score') ?? !isUnscored(query);
  return isByScore ? `the hits are sorted by _score: ${SCORES}` : null;
}

function isUnscored(query: BoundQuery): boolean {
  return kindOf(query).isUnscored?.(query, isUnscored) === true;
}

function whyInQuery(query: BoundQuery): string | null {
  return firstReason(query, (each) => {
    if (each.kind === 'function_score') return `function_score at ${each.path}: ${SCORES}`;
    if (each.kind !== 'nested' || each.innerHits === undefined) return null;
    return `inner_hits at ${each.path}: the hits hold more than the documents`;
  });
}

/** Why aggregations can't be counted change by change, exactly; null if they can. */
function whyNotCounted(aggregations: readonly BoundAggregation[]): string | null {
  for (const each of aggregations) {
    const reason = whyNot(each);
    if (reason !== null) return `${each.kind} at ${each.path}: ${reason}`;
    const inside = whyNotCounted(each.aggregations);
    if (inside !== null) return inside;
  }
  return null;
}

function whyNot(each: BoundAggregation): string | null {
  if ('mapped' in each && each.mapped === undefined) return `the field isn't mapped`;
  const reason = aggregationKind(each).whyNotCounted?.(each);
  return reason === undefined ? `can't be counted change by change` : reason;
}
