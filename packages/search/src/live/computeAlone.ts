import type { BoundAggregation, BoundQuery } from '@millrace/query';
import type { AggregationResult } from '../aggregations/AggregationRun.js';
import { computeAggregations } from '../aggregations/computeAggregations.js';
import type { DocumentScope } from '../documentScope.js';
import { constantMatches, noMatches } from '../queries/Matches.js';
import type { DocumentRows } from '../results/DocumentRows.js';

const EVERYTHING: BoundQuery = { kind: 'match_all', boost: 1, path: 'query' };
const NO_ROWS: DocumentRows = {
  read: () => undefined,
  readBetween: () => () => undefined,
  metadataOf: () => '{}',
  readName: () => ({ index: '', collection: '' }),
};

/** The results of aggregations over one document, or over none. @throws Refusal */
export function computeAlone(
  aggregations: readonly BoundAggregation[],
  scope: DocumentScope,
  isMatch = true,
): Record<string, AggregationResult> {
  const matches = isMatch ? constantMatches(scope.index.living(), 1) : noMatches();
  const results = computeAggregations(aggregations, EVERYTHING, matches, scope, NO_ROWS);
  return results as Record<string, AggregationResult>;
}
