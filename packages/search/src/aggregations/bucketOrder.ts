import { decimalKey, type BoundAggregation, type BucketOrder } from '@millrace/query';
import { Refusal } from '../Refusal.js';
import { orderMatches } from '../sorting/orderMatches.js';
import type { NumberSortKey } from '../sorting/SortKey.js';
import type { AggregationResult } from './AggregationRun.js';

/** The buckets to sort, as columns. */
export interface OrderedBuckets {
  readonly count: number;
  readonly docCountOf: (bucket: number) => number;
  /** Increases with the bucket's key. */
  readonly rankOf: (bucket: number) => number;
  /** The results of the bucket's children; only called if the order names a metric. */
  readonly childrenOf: (bucket: number) => AggregationResult;
  readonly children: readonly BoundAggregation[];
}

/** The first `limit` buckets in the requested order. */
export function orderBuckets(
  order: readonly BucketOrder[],
  buckets: OrderedBuckets,
  limit: number,
  path: string,
): Int32Array {
  const keys = order.map((criterion): NumberSortKey => {
    const sign = criterion.order === 'desc' ? -1 : 1;
    const { by } = criterion;
    const empty = typeof by === 'string' ? NaN : emptyValue(by.metric, buckets.children);
    const column = new Float64Array(buckets.count);
    for (let bucket = 0; bucket < buckets.count; bucket += 1) {
      const value = valueOf(criterion, bucket, buckets, path);
      column[bucket] = sign * (Number.isNaN(value) ? empty : value);
    }
    return { kind: 'number', keys: column, show: () => null, keyOf: () => 0 };
  });
  return orderMatches(keys, buckets.count, limit);
}

function valueOf({ by }: BucketOrder, bucket: number, buckets: OrderedBuckets, path: string): number {
  if (by === 'count') return buckets.docCountOf(bucket);
  if (by === 'key') return buckets.rankOf(bucket);
  return metricValue(buckets.childrenOf(bucket), by.metric, path);
}

/**
 * The sort value of a bucket without values: the initial value of the metric's computation; no number sorts highest.
 */
function emptyValue(metric: readonly string[], children: readonly BoundAggregation[]): number {
  let kind = '';
  let known = children;
  for (const step of metric) {
    const child = known.find(({ name }) => name === step);
    kind = child?.kind ?? (/stats$/.test(kind) ? step : kind);
    known = child?.aggregations ?? [];
  }
  if (kind === 'sum_of_squares') return 0;
  return kind === 'max' ? -Infinity : Infinity;
}

function metricValue(results: AggregationResult, metric: readonly string[], path: string): number {
  let current: unknown = results;
  for (const name of metric) {
    current = memberOf(current, name);
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

function memberOf(result: unknown, name: string): unknown {
  if (!isObject(result)) return undefined;
  if (Object.hasOwn(result, name)) return result[name];
  // One of the percentiles, by its number.
  const { values } = result;
  if (Array.isArray(values)) {
    const found = values.find(({ key }: { key: number }) => key === Number(name)) as unknown;
    return isObject(found) ? found['value'] : undefined;
  }
  return isObject(values) ? values[decimalKey(Number(name))] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
