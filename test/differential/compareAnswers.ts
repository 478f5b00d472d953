/*
 * Compares what both engines promise to have in common (SEARCH-100), and nothing else. Generated
 * requests either end their `sort` in `_id` or show all their hits, so that each comparison has a definite answer.
 */
import type { JsonObject, SearchOutcome } from '@millrace/kernel';
import type { Answer, Mismatch, RequestBody } from './Answer.js';
import { compareAggregations } from './compareAggregations.js';
import { compareHits } from './compareHits.js';
import { isRankingPromised } from './isRankingPromised.js';

export interface Compared {
  readonly request: RequestBody;
  readonly mapping: JsonObject;
  /** Whether documents were updated or deleted: Elasticsearch counts the old ones in its statistics until it merges. */
  readonly isChanged: boolean;
}

/** All mismatches, but for those that follow from another one. */
export function* compareAnswers(
  left: Answer,
  right: Answer,
  { request, mapping, isChanged }: Compared,
): Generator<Mismatch, void> {
  if (left.isRefused || right.isRefused) {
    const kind =
      left.isRefused && right.isRefused
        ? 'error'
        : `refused by ${left.isRefused ? 'the embedded engine' : 'Elasticsearch'} alone`;
    if (errorOf(left) !== errorOf(right)) yield { kind, left: describe(left), right: describe(right) };
    return;
  }
  if (isChanged && /"min_score"|"min_doc_count":0/.test(JSON.stringify(request))) return;
  const [a, b] = [left.outcome, right.outcome];
  if (a.total !== b.total) {
    yield { kind: 'total', left: idsOf(a), right: idsOf(b) };
    return;
  }
  const isRanked = !isChanged && request['sort'] === undefined && isRankingPromised(request['query'], mapping);
  yield* compareHits({ total: a.total, hits: a.hits }, { total: b.total, hits: b.hits }, { request, isRanked });
  if ((a.maxScore === null) !== (b.maxScore === null)) yield { kind: 'max_score', left: a.maxScore, right: b.maxScore };
  const requested = request['aggs'] ?? request['aggregations'] ?? {};
  yield* compareAggregations(requested as JsonObject, a.aggregations, b.aggregations, request);
}

const errorOf = (answer: Answer): string => (answer.isRefused ? answer.error : '');

function describe(answer: Answer): unknown {
  return answer.isRefused ? `${answer.error}: ${answer.reason}` : { total: answer.outcome.total };
}

function idsOf({ total, hits }: SearchOutcome): unknown {
  return [total, hits.map(({ id }) => id)];
}
