import { QueryError, type BoundAggregation } from '@millrace/query';

/** Levels of `terms` in each other. */
const MAX_LEVELS = 5;

/**
 * Refuses aggregations that Elasticsearch can't interrupt (SEARCH-73). It doesn't check for cancellation while it puts
 * together the buckets of `terms` in each other, and their number grows with each level: eight levels of 400 values run
 * for minutes after the client has left, and may take all of its memory.
 * @throws QueryError
 */
export function assertEndableAggregations(aggregations: readonly BoundAggregation[], aroundCount = 0): void {
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
