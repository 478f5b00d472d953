import type { BoundAggregation, BoundQuery } from '@millrace/query';
import type { FieldIndex } from '../fields/FieldIndex.js';
import { constantMatches } from '../queries/Matches.js';
import { restrict, subtract } from '../queries/setOperations.js';
import type { AggregationResult, AggregationRun } from './AggregationRun.js';

/** The documents of a list that a query matches. Matched once per search for all buckets. */
function restrictTo(slots: Int32Array, query: BoundQuery, run: AggregationRun): Int32Array {
  return restrict(constantMatches(slots, 0), run.filtered(query)).slots;
}

export function filterAggregation(
  aggregation: BoundAggregation<'filter'>,
  slots: Int32Array,
  run: AggregationRun,
): AggregationResult {
  const inside = restrictTo(slots, aggregation.filter, run);
  return run.bucket({ doc_count: inside.length }, aggregation.aggregations, inside);
}

export function filtersAggregation(
  aggregation: BoundAggregation<'filters'>,
  slots: Int32Array,
  run: AggregationRun,
): AggregationResult {
  const { filters, otherBucketKey, keyed, aggregations } = aggregation;
  run.addBuckets(filters.length + (otherBucketKey === undefined ? 0 : 1), aggregation.path);
  let others = constantMatches(slots, 0);
  const buckets = filters.map(({ key, filter }): readonly [string, AggregationResult] => {
    const inside = restrictTo(slots, filter, run);
    others = subtract(others, inside);
    return [key, run.bucket({ doc_count: inside.length }, aggregations, inside)];
  });
  if (otherBucketKey !== undefined) {
    const own = { doc_count: others.slots.length };
    buckets.push([otherBucketKey, run.bucket(own, aggregations, others.slots)]);
  }
  if (keyed) return { buckets: Object.fromEntries(buckets) };
  return { buckets: buckets.map(([, bucket]) => bucket) };
}

/** `missing`: documents without a value in the field. */
export function missingAggregation(
  aggregation: BoundAggregation<'missing'>,
  slots: Int32Array,
  run: AggregationRun,
): AggregationResult {
  const { mapped: field } = aggregation;
  const index = field === undefined ? undefined : run.scope.index.indexOf(field);
  // With a default value, no document lacks a value.
  const without =
    aggregation.missing !== undefined
      ? new Int32Array(0)
      : index === undefined
        ? slots
        : slots.filter((slot) => !hasTerms(index, slot));
  return run.bucket({ doc_count: without.length }, aggregation.aggregations, without);
}

/** A value of type text may have no terms left. */
function hasTerms(index: FieldIndex, slot: number): boolean {
  if (index.kind === 'text' && index.column !== undefined) return index.column.codeAt(slot) !== -1;
  return index.has(slot);
}
