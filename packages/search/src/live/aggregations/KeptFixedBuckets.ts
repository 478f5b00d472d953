import type { BoundAggregation } from '@millrace/query';
import type { AggregationResult } from '../../aggregations/AggregationRun.js';
import type { KeptAggregation, Sign } from './KeptAggregation.js';
import type { KeepContext } from './KeptAggregations.js';
import { KeptBucket } from './KeptBucket.js';

type Buckets = Readonly<Record<string, AggregationResult>> | readonly AggregationResult[];

/** Always the same buckets: `filters`, `range`, `date_range`. */
export class KeptFixedBuckets implements KeptAggregation {
  private readonly buckets: ReadonlyMap<string, KeptBucket>;
  private readonly isList: boolean;

  constructor(
    aggregations: readonly BoundAggregation[],
    result: AggregationResult,
    context: KeepContext,
  ) {
    const buckets = result['buckets'] as Buckets;
    this.isList = Array.isArray(buckets);
    this.buckets = new Map(
      Object.entries(buckets).map(([key, own]) => [key, new KeptBucket(aggregations, own, context)]),
    );
  } // prettier-ignore

  apply(one: AggregationResult, sign: Sign): boolean {
    const entries = Object.entries(one['buckets'] as Buckets);
    return entries.every(([key, bucket]) => this.buckets.get(key)?.apply(bucket, sign) === true);
  }

  result(): AggregationResult {
    const results = [...this.buckets].map(([key, bucket]) => [key, bucket.result()] as const);
    if (this.isList) return { buckets: results.map(([, bucket]) => bucket) };
    return { buckets: Object.fromEntries(results) };
  }
}
