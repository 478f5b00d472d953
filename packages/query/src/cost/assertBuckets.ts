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
      const count = aroundCount * certainCount(aggregation);
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

/** Number of buckets returned per enclosing bucket; 0 if it depends on the data. */
function certainCount(aggregation: Aggregation): number {
  switch (aggregation.kind) {
    case 'range':
    case 'date_range':
      return aggregation.ranges.length;
    case 'filters':
      return aggregation.filters.length + (aggregation.otherBucketKey === undefined ? 0 : 1);
    case 'filter':
    case 'global':
    case 'missing':
    case 'nested':
    case 'reverse_nested':
      return 1;
    default:
      return 0;
  }
}
