import { aggregationKind } from '../aggregations/AGGREGATION_KINDS.js';
import { QueryError } from '../errors.js';
import { MAX_BUCKETS } from '../MAX_BUCKETS.js';
import type { Aggregation } from '../tree/Aggregation.js';

/**
 * Refuses aggregations that return too many buckets whatever the data are: nested ranges are all returned, full or
 * empty. The request is refused before documents are counted.
 * @throws QueryError
 */
export function assertBuckets(aggregations: readonly Aggregation[]): void {
  let total = 0;
  const add = (level: readonly Aggregation[], aroundCount: number): void => {
    for (const aggregation of level) {
      const count = aroundCount * aggregationKind(aggregation).counts(aggregation).certain;
      total += count;
      if (total > MAX_BUCKETS) {
        const what = `The aggregations give more than ${MAX_BUCKETS} buckets (at ${aggregation.path})`;
        throw new QueryError('invalid', aggregation.path, `${what}: ask for fewer`);
      }
      if (count > 0) add(aggregation.aggregations, count);
    }
  };
  add(aggregations, 1);
}
