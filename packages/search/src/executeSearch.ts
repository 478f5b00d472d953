import {
  bindSearch,
  mentionsNow,
  type BoundAggregation,
  type BoundSearch,
  type Excess,
  type SearchRequest,
} from '@millrace/query';
import type { Deadline } from './Deadline.js';
import type { SearchScope } from './SearchScope.js';
import { computeAggregations } from './aggregations/computeAggregations.js';
import { Highlighter } from './highlight/Highlighter.js';
import { InnerHitsWriter } from './results/InnerHitsWriter.js';
import { matchQuery } from './matchQuery.js';
import { noMatches, scoreAt, type Matches } from './queries/Matches.js';
import type { TopMatches } from './queries/QueryNode.js';
import { TextTermNode } from './queries/TextTermNode.js';
import { compileQuery } from './queries/compileQuery.js';
import { restrict } from './queries/setOperations.js';
import { topOfTerms } from './queries/topByScore.js';
import type { DocumentRows } from './results/DocumentRows.js';
import type { HitExtras } from './results/HitWriter.js';
import { needsScores, Ranking, type RankedHits } from './results/Ranking.js';
import { hitFields, type HitFields } from './view/hitFields.js';
import { restrictIndex } from './index/restrictIndex.js';
import { withinTime } from './withinTime.js';

/** An executed search: its hits can be read page by page, even after the index has changed. */
export interface ExecutedSearch {
  readonly ranking: RankedHits | undefined;
  readonly total: number;
  readonly aggregations: object | undefined;
  readonly timedOut: boolean;
  readonly extras?: HitExtras;
  /** The combinatorial part of the request, if it has one (see `bindSearch`). */
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
  const bound = bindSearch(request, scope.index.mapping, scope.nowMs);
  const { excess } = bound;
  const key = JSON.stringify(request.view?.documents ?? null);
  return withinTime(
    excess,
    scope.deadline,
    (deadline) => {
      const whole = { ...scope, deadline };
      const { shown } = bound;
      const fields = shown && limit > 0 ? hitFields(shown, whole) : undefined;
      const visible = visibleScope(bound, key, whole);
      return finish({ ...run(bound, visible, { rows, limit, fields }), excess }, deadline);
    },
    () => finish(TIMED_OUT, scope.deadline),
  );
}

/** The scope as if the documents outside the view of the caller didn't exist. @param key of the view */
function visibleScope({ within, shown }: BoundSearch, key: string, whole: SearchScope): SearchScope {
  const scope = shown === undefined ? whole : { ...whole, fields: shown.common };
  if (within === undefined) return scope;
  const { index } = scope;
  const find = () => matchQuery(within, scope, false).slots;
  const view = mentionsNow(key) ? restrictIndex(index, find()) : index.views.viewOf(key, find);
  return { ...scope, index: view };
}

/** What a search reads of the documents that it finds. */
interface Reading {
  readonly rows: DocumentRows;
  readonly limit: number;
  readonly fields: HitFields | undefined;
}

function run(request: BoundSearch, scope: SearchScope, { rows, limit, fields }: Reading): ExecutedSearch {
  const { minScore, postFilter, aggregations } = request;
  const top = matchTop(request, scope, limit);
  if (top !== undefined) {
    return {
      ranking: new Ranking(top.matches, request, scope, limit),
      total: top.total,
      aggregations: undefined,
      timedOut: false,
      ...extrasOf(request, scope, limit, fields),
    };
  }
  const isScored =
    aggregations.some(ranksByScore) || minScore !== undefined || (request.size > 0 && needsScores(request));
  let matches = matchQuery(request.query, scope, isScored);
  if (minScore !== undefined) matches = atLeast(matches, minScore);
  const computed =
    aggregations.length === 0 ? undefined : computeAggregations(aggregations, request.query, matches, scope, rows);
  if (postFilter !== undefined) {
    matches = restrict(matches, matchQuery(postFilter, scope, false).slots);
  }
  return {
    ranking: new Ranking(matches, request, scope, limit),
    total: matches.slots.length,
    aggregations: computed,
    timedOut: false,
    ...extrasOf(request, scope, limit, fields),
  };
}

function extrasOf(
  { query, postFilter, highlight }: BoundSearch,
  scope: SearchScope,
  limit: number,
  fields: HitFields | undefined,
): { readonly extras?: HitExtras } {
  if (limit === 0) return {};
  const innerHits = InnerHitsWriter.create(postFilter ? [query, postFilter] : [query], scope);
  if (highlight === undefined && innerHits === undefined && fields === undefined) return {};
  const highlighter = highlight && new Highlighter(highlight, query, scope);
  return { extras: { highlighter, innerHits, fields } };
}

/** Whether it contains `top_hits` that use scores. */
function ranksByScore(aggregation: BoundAggregation): boolean {
  const isRanked = aggregation.kind === 'top_hits' && needsScores({ trackScores: false, ...aggregation });
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

/** For longer pages, scoring everything is as fast. */
const MAX_LIMIT = 1_000;

/**
 * The hits of a search that reads only the best `limit` by score, if there is a way that is faster than scoring all
 * matches. Else undefined.
 */
function matchTop(request: BoundSearch, scope: SearchScope, limit: number): TopMatches | undefined {
  const { query, sort, searchAfter, minScore, postFilter, aggregations } = request;
  const looksAtAll =
    sort !== undefined ||
    searchAfter !== undefined ||
    minScore !== undefined ||
    postFilter !== undefined ||
    aggregations.length > 0;
  const { index } = scope;
  if (looksAtAll || limit === 0 || limit > MAX_LIMIT || index.livingCount === 0) return undefined;
  const node = compileQuery(query, scope);
  const top = node instanceof TextTermNode ? topOfTerms([node], index, limit) : node.top?.(limit);
  if (top !== undefined) scope.deadline.check();
  return top;
}
