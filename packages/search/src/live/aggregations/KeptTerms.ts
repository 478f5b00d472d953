import type { BoundAggregation } from '@millrace/query';
import type { AggregationResult } from '../../aggregations/AggregationRun.js';
import { orderBuckets } from '../../aggregations/bucketOrder.js';
import type { KeptAggregation, Sign } from './KeptAggregation.js';
import type { KeepContext } from './KeptAggregations.js';
import type { KeptBucket } from './KeptBucket.js';
import { KeptKeys } from './KeptKeys.js';
import { MAX_KEYS } from './measuredAggregations.js';

/** `terms`, from results with all keys. */
export class KeptTerms implements KeptAggregation {
  private readonly keys: KeptKeys;

  constructor(
    private readonly asked: BoundAggregation<'terms'>,
    result: AggregationResult,
    context: KeepContext,
  ) {
    const buckets = result['buckets'] as readonly AggregationResult[];
    this.keys = new KeptKeys(asked.aggregations, buckets, context);
  }

  apply(one: AggregationResult, sign: Sign): boolean {
    const buckets = one['buckets'] as readonly AggregationResult[];
    // Of more keys, the search has left out some.
    return this.keys.length < MAX_KEYS && this.keys.apply(buckets, sign);
  }

  result(): AggregationResult {
    const { order, size, path, minDocCount, aggregations } = this.asked;
    const buckets = this.keys.all().filter(({ docCount }) => docCount >= minDocCount);
    const at = (i: number) => buckets[i] as KeptBucket;
    const ordered = {
      count: buckets.length,
      docCountOf: (i: number) => at(i).docCount,
      rankOf: (i: number) => i,
      childrenOf: (i: number) => at(i).inside(),
      children: aggregations,
    };
    const shown = Array.from(orderBuckets(order, ordered, size, path), at);
    return {
      doc_count_error_upper_bound: 0,
      sum_other_doc_count: countOf(buckets) - countOf(shown),
      buckets: shown.map((bucket) => bucket.result()),
    };
  }
}

function countOf(buckets: readonly KeptBucket[]): number {
  return buckets.reduce((sum, { docCount }) => sum + docCount, 0);
}
