import { createDateRounding } from '@millrace/language';
import { decimalKey, type BucketOrder, type BoundAggregation } from '@millrace/query';
import { Refusal } from '../Refusal.js';
import type { AggregationResult, AggregationRun, Compute } from './AggregationRun.js';
import { countBuckets, groupSlots } from './Bucketing.js';
import { orderBuckets } from './bucketOrder.js';
import { dateBucketing } from './dateBucketing.js';
import { numberBucketing, type NumberBucketing } from './numberBucketing.js';
import { numberSource } from './valueSource.js';

/** Wider gaps between two buckets aren't filled step by step: they would exceed the bucket limit anyway. */
const MAX_STEPS = 1_000_000;

/** State shared by both histograms once their keys are computed. */
interface Histogram {
  readonly aggregation: BoundAggregation<'histogram'> | BoundAggregation<'date_histogram'>;
  readonly keyed: NumberBucketing;
  /** By ordinal: the returned key. */
  readonly shownKey: (ordinal: number) => number;
  /** The next returned key. */
  readonly nextKey: (key: number) => number;
  /** Returned keys that gaps are filled up to at least. */
  readonly extendedFrom: number | undefined;
  readonly extendedTo: number | undefined;
  readonly text: ((key: number) => string) | undefined;
  readonly nameOf: (key: number) => string;
}

export const histogramAggregation: Compute<'histogram'> = (aggregation, slots, run) => {
  const source = numberSource(aggregation, run.scope);
  const { interval, offset, hardBounds, extendedBounds, format } = aggregation;
  const indexOf = (value: number) => Math.floor((value - offset) / interval);
  const keyAt = (index: number) => index * interval + offset;
  const isInside = insideBounds(hardBounds?.min, hardBounds?.max, true);
  const keyed = numberBucketing(source, slots, (value) => {
    const index = indexOf(value);
    // Elasticsearch compares the bounds with keys without the offset.
    return isInside(index * interval) ? index : NaN;
  });
  const rounded = (bound: number | undefined) => (bound === undefined ? undefined : keyAt(indexOf(bound)));
  const isNamed = source.field?.type === 'date' || source.field?.type === 'boolean';
  const text = format === undefined && !isNamed ? undefined : source.text;
  return histogram(
    {
      aggregation,
      keyed,
      shownKey: (ordinal) => keyAt(keyed.keyOf(ordinal)),
      nextKey: (key) => keyAt(indexOf(key + interval / 2) + 1),
      extendedFrom: rounded(extendedBounds?.min),
      extendedTo: rounded(extendedBounds?.max),
      text,
      nameOf: text ?? decimalKey,
    },
    slots,
    run,
  );
};

export const dateHistogramAggregation: Compute<'date_histogram'> = (aggregation, slots, run) => {
  const source = numberSource(aggregation, run.scope);
  const { field } = source;
  const { interval, timeZone, offsetMs, hardBounds, extendedBounds, hard, extended } = aggregation;
  if (field === undefined && aggregation.missing === undefined && extendedBounds === undefined) {
    return { buckets: aggregation.keyed ? {} : [] };
  }
  const rounding = createDateRounding({ interval, timeZone, offsetMs });
  // Bounds are rounded without the offset.
  const plain = createDateRounding({ interval, timeZone, offsetMs: 0 });
  const rounded = (ms: number | undefined) => (ms === undefined ? undefined : plain.round(ms));
  const shifted = (ms: number | undefined) => (ms === undefined ? undefined : plain.round(ms) + (offsetMs ?? 0));
  const isInside = insideBounds(rounded(hard.min), rounded(hard.max), false);
  const cacheKey = hardBounds === undefined ? JSON.stringify([interval, timeZone, offsetMs]) : undefined;
  const keyed = dateBucketing(source, slots, rounding, isInside, cacheKey);
  return histogram(
    {
      aggregation,
      keyed,
      shownKey: keyed.keyOf,
      nextKey: (key) => rounding.next(key),
      extendedFrom: shifted(extended.min),
      extendedTo: shifted(extended.max),
      text: source.text,
      nameOf: source.text ?? String,
    },
    slots,
    run,
  );
};

function insideBounds(
  min: number | undefined,
  max: number | undefined,
  includesMax: boolean,
): (key: number) => boolean {
  if (min === undefined && max === undefined) return () => true;
  const [low, high] = [min ?? -Infinity, max ?? Infinity];
  return (key) => key >= low && (includesMax ? key <= high : key < high);
}

/** A bucket with documents, or one that fills a gap. */
interface HistogramBucket {
  readonly key: number;
  readonly docCount: number;
  /** -1 in a gap. */
  readonly ordinal: number;
}

function histogram(shape: Histogram, slots: Int32Array, run: AggregationRun): AggregationResult {
  const { aggregation, keyed, shownKey } = shape;
  const counts = countBuckets(keyed.bucketing, slots);
  let buckets: HistogramBucket[] = [];
  counts.forEach((docCount, ordinal) => {
    if (docCount > 0) buckets.push({ key: shownKey(ordinal), docCount, ordinal });
  });
  buckets.sort((a, b) => a.key - b.key);
  if (aggregation.minDocCount === 0) buckets = fillGaps(buckets, shape, run);
  else buckets = buckets.filter(({ docCount }) => docCount >= aggregation.minDocCount);
  run.addBuckets(buckets.length, aggregation.path);
  const groupOf = groupsOf(buckets, counts, shape, slots);
  const { text } = shape;
  const results = buckets.map(({ key, docCount, ordinal }) => {
    const own: AggregationResult =
      text === undefined ? { key, doc_count: docCount } : { key_as_string: text(key), key, doc_count: docCount };
    return run.bucket(own, aggregation.aggregations, groupOf?.get(ordinal));
  });
  const ordered = isByKey(aggregation.order) ? results : reorder(results, aggregation, buckets);
  if (!aggregation.keyed) return { buckets: ordered };
  const named = ordered.map((bucket) => [shape.nameOf(bucket['key'] as number), bucket] as const);
  return { buckets: Object.fromEntries(named) };
}

/** The documents of each bucket by its ordinal, if there are children. */
function groupsOf(
  buckets: readonly HistogramBucket[],
  counts: Int32Array,
  { aggregation, keyed }: Histogram,
  slots: Int32Array,
): ReadonlyMap<number, Int32Array> | undefined {
  if (aggregation.aggregations.length === 0) return undefined;
  const shown = buckets.map(({ ordinal }) => ordinal).filter((ordinal) => ordinal >= 0);
  const groups = groupSlots(keyed.bucketing, slots, shown, counts);
  return new Map(shown.map((ordinal, i) => [ordinal, groups[i] as Int32Array]));
}

function fillGaps(
  buckets: readonly HistogramBucket[],
  { nextKey, extendedFrom, extendedTo, aggregation }: Histogram,
  run: AggregationRun,
): HistogramBucket[] {
  const filled: HistogramBucket[] = [];
  const first = Math.min(buckets[0]?.key ?? Infinity, extendedFrom ?? Infinity);
  const last = Math.max(buckets.at(-1)?.key ?? -Infinity, extendedTo ?? -Infinity);
  // An upper bound alone extends nothing if there are no buckets.
  if (first === Infinity || last === -Infinity) return filled;
  let next = 0;
  for (let key = first; key <= last || next < buckets.length;) {
    const bucket = buckets[next];
    if (bucket !== undefined && bucket.key <= key) {
      filled.push(bucket);
      next += 1;
      // Keys are computed in two ways that may differ in their last bit.
      key = nextKey(bucket.key);
      continue;
    }
    filled.push({ key, docCount: 0, ordinal: -1 });
    if (filled.length > MAX_STEPS) run.addBuckets(filled.length, aggregation.path);
    const following = nextKey(key);
    if (!(following > key)) throw new Refusal(`The interval is too small for the values (at ${aggregation.path})`);
    key = following;
  }
  return filled;
}

function isByKey(order: readonly BucketOrder[]): boolean {
  const [first] = order;
  return first === undefined || (first.by === 'key' && first.order === 'asc');
}

function reorder(
  results: readonly AggregationResult[],
  aggregation: BoundAggregation<'histogram'> | BoundAggregation<'date_histogram'>,
  buckets: readonly HistogramBucket[],
): readonly AggregationResult[] {
  const order = orderBuckets(
    aggregation.order,
    {
      count: results.length,
      docCountOf: (i) => (buckets[i] as HistogramBucket).docCount,
      rankOf: (i) => (buckets[i] as HistogramBucket).key,
      childrenOf: (i) => results[i] ?? {},
      children: aggregation.aggregations,
    },
    results.length,
    aggregation.path,
  );
  return Array.from(order, (i) => results[i] as AggregationResult);
}
