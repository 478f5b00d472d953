import { decimalKey, toTypePrecision, type BoundAggregation } from '@millrace/query';
import type { AggregationResult, AggregationRun } from './AggregationRun.js';
import { numberSource, type NumberSource } from './valueSource.js';

/** `range` and `date_range`: `from` inclusive, `to` exclusive. */
export function rangeAggregation(
  aggregation: BoundAggregation<'range' | 'date_range'>,
  slots: Int32Array,
  run: AggregationRun,
): AggregationResult {
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
}

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
