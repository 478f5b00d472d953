import type { BoundAggregation } from '@millrace/query';
import { ancestorSlot, descendants, NestedIndex } from '../index/NestedIndex.js';
import type { AggregationResult, AggregationRun } from './AggregationRun.js';

/** `nested`: the objects of a nested field in the documents of a list. */
export function nestedAggregation(
  aggregation: BoundAggregation<'nested'>,
  slots: Int32Array,
  run: AggregationRun,
): AggregationResult {
  const inside = run.inside(aggregation.nestedPath);
  // Without objects the children are still returned, with empty results.
  if (inside === undefined) {
    const isMapped = run.scope.index.mapping.objects.has(aggregation.nestedPath);
    const none = isMapped ? new Int32Array(0) : undefined;
    return run.bucket({ doc_count: 0 }, aggregation.aggregations, none);
  }
  const objects = objectsIn(inside.scope.index, run, slots);
  return inside.bucket({ doc_count: objects.length }, aggregation.aggregations, objects);
}

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
export function reverseNestedAggregation(
  aggregation: BoundAggregation<'reverse_nested'>,
  slots: Int32Array,
  run: AggregationRun,
): AggregationResult {
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
}
