import type { BucketOrder } from '@millrace/query';
import { Refusal } from '../Refusal.js';
import { orderMatches } from '../sorting/orderMatches.js';
import type { NumberSortKey } from '../sorting/SortKey.js';
import type { AggregationResult } from './AggregationRun.js';

/** The buckets to put in order, as columns. */
export interface OrderedBuckets {
  readonly count: number;
  readonly docCountOf: (bucket: number) => number;
  /** Rises with the bucket's key. */
  readonly rankOf: (bucket: number) => number;
  /** The results of the bucket's children; only asked for where the order names a metric. */
  readonly childrenOf: (bucket: number) => AggregationResult;
}

/** The first `limit` buckets in the order asked for. */
export function orderBuckets(
  order: readonly BucketOrder[],
  buckets: OrderedBuckets,
  limit: number,
  path: string,
): Int32Array {
  const keys = order.map((criterion): NumberSortKey => {
    const sign = criterion.order === 'desc' ? -1 : 1;
    const column = new Float64Array(buckets.count);
    for (let bucket = 0; bucket < buckets.count; bucket += 1) {
      column[bucket] = keyOf(criterion, sign, bucket, buckets, path);
    }
    return { kind: 'number', keys: column, show: () => null, keyOf: () => 0 };
  });
  return orderMatches(keys, buckets.count, limit);
}

function keyOf(
  { by }: BucketOrder,
  sign: 1 | -1,
  bucket: number,
  buckets: OrderedBuckets,
  path: string,
): number {
  if (by === 'count') return sign * buckets.docCountOf(bucket);
  if (by === 'key') return sign * buckets.rankOf(bucket);
  const value = metricValue(buckets.childrenOf(bucket), by.metric, path);
  // Buckets without a value come last, whatever the direction.
  return Number.isNaN(value) ? Infinity : sign * value;
}

function metricValue(results: AggregationResult, metric: readonly string[], path: string): number {
  let current: unknown = results;
  for (const name of metric) {
    current = isObject(current) && Object.hasOwn(current, name) ? current[name] : undefined;
  }
  if (isObject(current)) {
    if (Object.hasOwn(current, 'value')) current = current['value'];
    else if (Object.hasOwn(current, 'doc_count')) current = current['doc_count'];
  }
  if (typeof current === 'number') return current;
  if (current === null || current === 'NaN') return NaN;
  if (current === 'Infinity' || current === '-Infinity') return Number(current);
  throw new Refusal(
    `Invalid order at ${path}: ${JSON.stringify(metric.join('.'))} names no single-value metric among the sub-aggregations`,
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
