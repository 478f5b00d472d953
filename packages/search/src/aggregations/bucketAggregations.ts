import { decimalKey, toTypePrecision, type BoundQuery } from '@millrace/query';
import type { FieldIndex } from '../fields/FieldIndex.js';
import { ancestorSlot, descendants, NestedIndex } from '../index/NestedIndex.js';
import { constantMatches } from '../queries/Matches.js';
import { restrict, subtract } from '../queries/setOperations.js';
import type { AggregationResult, Compute, AggregationRun } from './AggregationRun.js';
import { numberSource, type NumberSource } from './valueSource.js';

/** `range` and `date_range`: `from` inclusive, `to` exclusive. */
export const rangeAggregation: Compute<'range' | 'date_range'> = (aggregation, slots, run) => {
  const source = numberSource(aggregation, run.scope);
  const { text, field } = source;
  const ordered = [...aggregation.spans].sort((a, b) => a.from - b.from || a.to - b.to);
  run.addBuckets(ordered.length, aggregation.path);
  const isUnmapped = source.field === undefined && aggregation.missing === undefined;
  // A `float` stores slightly less than 0.7: bounds are rounded as the values are.
  const isRounded = aggregation.kind === 'range' && /^(float|half_float)$/.test(field?.type ?? '');
  const held = (bound: number) =>
    isRounded && field !== undefined && Number.isFinite(bound) ? toTypePrecision(field.type, bound, 1) : bound;
  const results = ordered.map(({ key, from, to }): readonly [string, AggregationResult] => {
    run.scope.deadline.check();
    const [low, high] = [held(from), held(to)];
    const inside = slotsBetween(source, slots, low, high);
    const name = key ?? `${boundText(from, text)}-${boundText(to, text)}`;
    const own: AggregationResult = { ...(aggregation.keyed ? {} : { key: name }) };
    if (from !== -Infinity) own['from'] = from;
    if (from !== -Infinity && text !== undefined) own['from_as_string'] = text(from);
    if (to !== Infinity) own['to'] = to;
    if (to !== Infinity && text !== undefined) own['to_as_string'] = text(to);
    own['doc_count'] = inside.length;
    return [name, run.bucket(own, aggregation.aggregations, isUnmapped ? undefined : inside)];
  });
  if (aggregation.keyed) return { buckets: Object.fromEntries(results) };
  return { buckets: results.map(([, bucket]) => bucket) };
};

function boundText(bound: number, text: ((value: number) => string) | undefined): string {
  if (!Number.isFinite(bound)) return '*';
  return text === undefined ? decimalKey(bound) : text(bound);
}

function slotsBetween({ column, missing }: NumberSource, slots: Int32Array, from: number, to: number): Int32Array {
  const inside = new Int32Array(slots.length);
  const takesMissing = missing >= from && missing < to;
  let count = 0;
  for (let i = 0; i < slots.length; i += 1) {
    const slot = slots[i] as number;
    const value = column?.first(slot) ?? NaN;
    if (Number.isNaN(value)) {
      if (takesMissing) inside[count++] = slot;
    } else if (value >= from && value < to) {
      inside[count++] = slot;
    } else if (column !== undefined && column.more.size > 0) {
      const all = column.more.get(slot);
      if (all !== undefined && all.some((one) => one >= from && one < to)) inside[count++] = slot;
    }
  }
  return inside.slice(0, count);
}

/** The documents of a list that a query matches. Matched once per search for all buckets. */
function restrictTo(slots: Int32Array, query: BoundQuery, run: AggregationRun): Int32Array {
  return restrict(constantMatches(slots, 0), run.filtered(query)).slots;
}

export const filterAggregation: Compute<'filter'> = (aggregation, slots, run) => {
  const inside = restrictTo(slots, aggregation.filter, run);
  return run.bucket({ doc_count: inside.length }, aggregation.aggregations, inside);
};

export const filtersAggregation: Compute<'filters'> = (aggregation, slots, run) => {
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
};

/** `missing`: documents without a value in the field. */
export const missingAggregation: Compute<'missing'> = (aggregation, slots, run) => {
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
};

/** A value of type text may have no terms left. */
function hasTerms(index: FieldIndex, slot: number): boolean {
  if (index.kind === 'text' && index.column !== undefined) return index.column.codeAt(slot) !== -1;
  return index.has(slot);
}

/** `nested`: the objects of a nested field in the documents of a list. */
export const nestedAggregation: Compute<'nested'> = (aggregation, slots, run) => {
  const inside = run.inside(aggregation.nestedPath);
  // Without objects the children are still returned, with empty results.
  if (inside === undefined) {
    const isMapped = run.scope.index.mapping.objects.has(aggregation.nestedPath);
    const none = isMapped ? new Int32Array(0) : undefined;
    return run.bucket({ doc_count: 0 }, aggregation.aggregations, none);
  }
  const objects = objectsIn(inside.scope.index, run, slots);
  return inside.bucket({ doc_count: objects.length }, aggregation.aggregations, objects);
};

function objectsIn(index: NestedIndex, run: AggregationRun, slots: Int32Array): Int32Array {
  const around = run.scope.index;
  if (slots.length === around.livingCount) return index.living();
  const ranges = Array.from(slots, (slot) => descendants(index, around, slot));
  const objects = new Int32Array(ranges.reduce((sum, [from, to]) => sum + to - from, 0));
  let count = 0;
  for (const [from, to] of ranges) for (let at = from; at < to; at += 1) objects[count++] = at;
  return objects;
}

/** `reverse_nested`: the enclosing documents or objects of a list of objects, each once. */
export const reverseNestedAggregation: Compute<'reverse_nested'> = (aggregation, slots, run) => {
  let outside: AggregationRun | undefined = run;
  while (outside !== undefined && outside.scope.index.nestedPath !== aggregation.nestedPath) outside = outside.outside;
  const { index } = run.scope;
  if (outside === undefined || !(index instanceof NestedIndex))
    return run.bucket({ doc_count: 0 }, aggregation.aggregations, new Int32Array(0));
  const found = new Int32Array(slots.length);
  let count = 0;
  for (const slot of slots) {
    const around = ancestorSlot(index, slot, outside.scope.index);
    if (count === 0 || found[count - 1] !== around) found[count++] = around;
  }
  const documents = found.slice(0, count);
  return outside.bucket({ doc_count: count }, aggregation.aggregations, documents);
};
