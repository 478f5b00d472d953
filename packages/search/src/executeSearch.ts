import {
  checkAgainstMapping,
  expandFields,
  measureWork,
  pathInside,
  type Aggregation,
  type Excess,
  type SearchRequest,
} from '@millrace/query';
import { compileQuery } from './queries/compileQuery.js';
import { computeAggregations } from './aggregations/computeAggregations.js';
import type { Deadline } from './Deadline.js';
import { Highlighter } from './highlight/Highlighter.js';
import type { DocumentRows } from './results/DocumentRows.js';
import { InnerHitsWriter } from './inner/InnerHitsWriter.js';
import { matchQuery } from './matchQuery.js';
import { matchTop } from './matchTop.js';
import { noMatches, scoreAt, type Matches } from './queries/Matches.js';
import { restrict } from './queries/setOperations.js';
import type { HitExtras } from './results/HitWriter.js';
import { needsScores, Ranking } from './results/Ranking.js';
import type { SearchScope } from './SearchScope.js';
import { withinTime } from './withinTime.js';

/** An executed search: its hits can be read page by page, even after the index has changed. */
export interface ExecutedSearch {
  readonly ranking: Ranking | undefined;
  readonly total: number;
  readonly aggregations: object | undefined;
  readonly timedOut: boolean;
  readonly extras?: HitExtras;
  /** The combinatorial part of the request, if it has one (`measureWork`). */
  readonly excess?: Excess | undefined;
}

/** The result of a search that exceeded its time limit. */
const TIMED_OUT: ExecutedSearch = {
  ranking: undefined,
  total: 0,
  aggregations: undefined,
  timedOut: true,
};

/**
 * Runs a search on the index of the scope.
 * @param limit maximum number of hits that will be read
 * @param finish builds the result within the same time limit; for a search that timed out it receives one without hits
 * @throws Refusal, QueryError, Cancelled
 */
export function executeSearch<T>(
  request: SearchRequest,
  scope: SearchScope,
  { rows, limit }: { readonly rows: DocumentRows; readonly limit: number },
  finish: (search: ExecutedSearch, deadline: Deadline) => T,
): T {
  // A request that doesn't fit the mapping is refused even if there are no documents.
  checkAgainstMapping(request, scope.index.mapping, scope.nowMs);
  const excess = measureWork(request, scope.index.mapping);
  return withinTime(
    excess,
    scope.deadline,
    (deadline) =>
      finish({ ...run(request, { ...scope, deadline }, rows, limit), excess }, deadline),
    () => finish(TIMED_OUT, scope.deadline),
  );
}

function run(
  request: SearchRequest,
  scope: SearchScope,
  rows: DocumentRows,
  limit: number,
): ExecutedSearch {
  const { minScore, postFilter, aggregations } = request;
  const top = matchTop(request, scope, limit);
  if (top !== undefined) {
    return {
      ranking: new Ranking(top.matches, request, scope, limit),
      total: top.total,
      aggregations: undefined,
      timedOut: false,
      ...extrasOf(request, scope, limit),
    };
  }
  for (const aggregation of aggregations) compileFilters(aggregation, scope);
  const isScored =
    aggregations.some(ranksByScore) ||
    minScore !== undefined ||
    (request.size > 0 && needsScores(request));
  let matches = matchQuery(request.query, scope, isScored);
  if (minScore !== undefined) matches = atLeast(matches, minScore);
  const computed =
    aggregations.length === 0
      ? undefined
      : computeAggregations(aggregations, request.query, matches, scope, rows);
  if (postFilter !== undefined) {
    matches = restrict(matches, matchQuery(postFilter, scope, false).slots);
  }
  return {
    ranking: new Ranking(matches, request, scope, limit),
    total: matches.slots.length,
    aggregations: computed,
    timedOut: false,
    ...extrasOf(request, scope, limit),
  };
}

function extrasOf(
  { query, postFilter, highlight }: SearchRequest,
  scope: SearchScope,
  limit: number,
): { readonly extras?: HitExtras } {
  if (limit === 0) return {};
  const expanded = expandFields(query, scope.index.mapping);
  const filter = postFilter && expandFields(postFilter, scope.index.mapping);
  const innerHits = InnerHitsWriter.create(filter ? [expanded, filter] : [expanded], scope);
  if (highlight === undefined && innerHits === undefined) return {};
  const highlighter = highlight && new Highlighter(highlight, expanded, scope);
  return { extras: { highlighter, innerHits } };
}

/** Compiles the filters of aggregations, so that an invalid one is refused even if no bucket reaches it. */
function compileFilters(aggregation: Aggregation, scope: SearchScope, nestedPath?: string): void {
  const queries =
    aggregation.kind === 'filter'
      ? [aggregation.filter]
      : aggregation.kind === 'filters'
        ? aggregation.filters.map(({ filter }) => filter)
        : [];
  for (const query of queries)
    compileQuery(expandFields(query, scope.index.mapping, nestedPath), scope);
  const inside = pathInside(aggregation, nestedPath);
  for (const child of aggregation.aggregations) compileFilters(child, scope, inside);
}

/** Whether it contains `top_hits` that use scores. */
function ranksByScore(aggregation: Aggregation): boolean {
  const isRanked =
    aggregation.kind === 'top_hits' && needsScores({ trackScores: false, ...aggregation });
  return isRanked || aggregation.aggregations.some(ranksByScore);
}

function atLeast(matches: Matches, minScore: number): Matches {
  const { slots, scores, score } = matches;
  if (scores === undefined) return score >= minScore ? matches : noMatches();
  const positions = Int32Array.from(slots, (_, i) => i).filter(
    (i) => Math.fround(scoreAt(matches, i)) >= Math.fround(minScore),
  );
  return {
    slots: positions.map((i) => slots[i] as number),
    scores: Float64Array.from(positions, (i) => scores[i] as number),
    score,
  };
}
