import { compareTerms } from '../columns/TermDictionary.js';
import type { SortKey } from './SortKey.js';

/*
 * Selects the first positions by several criteria, ties by position. The best `limit` are kept in a heap whose root is
 * the worst of them: a match worse than the root costs one comparison of two numbers.
 */

/** Negative if position `a` sorts before `b`. */
export function comparePositions(keys: readonly SortKey[], a: number, b: number): number {
  for (const key of keys) {
    if (key.kind === 'number') {
      const x = key.keys[a] as number;
      const y = key.keys[b] as number;
      if (x !== y) return x < y ? -1 : 1;
    } else {
      const order = compareTerms(key.textAt(a), key.textAt(b));
      if (order !== 0) return key.isDescending ? -order : order;
    }
  }
  return a - b;
}

/** The first `limit` positions of 0 to `count` - 1, in order. Without criteria the order is unchanged. */
export function orderMatches(keys: readonly SortKey[], count: number, limit: number): Int32Array {
  const size = Math.min(count, limit);
  if (keys.length === 0 || size === 0) return ascending(size);
  if (limit >= count) return ascending(count).sort(comparer(keys));
  const [first] = keys;
  // Nearly all of them: a heap would be slower than sorting everything.
  if (size * 2 > count) {
    return ascending(count).sort(comparer(keys)).slice(0, size);
  }
  return first?.kind === 'number' ? selectByNumber(keys, first.keys, count, size) : select(keys, count, size);
}

/** The first `limit` positions by score, best first. Scores are compared as 32-bit floats, as in the result. */
export function orderByScore(scores: Float64Array, limit: number): Int32Array {
  const size = Math.min(scores.length, limit);
  if (size === 0) return new Int32Array(0);
  const rounded = new Float32Array(scores.length);
  // Adding 0 turns -0 into 0.
  for (let i = 0; i < rounded.length; i += 1) rounded[i] = Math.fround(scores[i] as number) + 0;
  const compare = (a: number, b: number) => (rounded[b] as number) - (rounded[a] as number) || a - b;
  if (size * 2 > scores.length) return ascending(scores.length).sort(compare).slice(0, size);
  if (size > MAX_HEAP) return highest(rounded, size).sort(compare).slice(0, size);
  const heap = startHeap(size, compare);
  let worst = rounded[heap[0] as number] as number;
  for (let position = size; position < rounded.length; position += 1) {
    if ((rounded[position] as number) <= worst) continue;
    replaceRoot(heap, position, compare);
    worst = rounded[heap[0] as number] as number;
  }
  return heap.sort(compare);
}

/** Longer pages are selected by counting instead of a heap. */
const MAX_HEAP = 256;

/** The upper half of a float's bits sorts as its value does, for negative floats in reverse. */
const HALVES = 1 << 16;
const SIGN = 1 << 15;

/** At least the `size` positions with the highest values, including those that differ little from the lowest one. */
function highest(values: Float32Array, size: number): Int32Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const counts = new Int32Array(HALVES);
  const rankOf = (position: number) => {
    const half = (bits[position] as number) >>> 16;
    return half < SIGN ? half + SIGN : HALVES - 1 - half;
  };
  for (let i = 0; i < bits.length; i += 1) {
    const rank = rankOf(i);
    counts[rank] = (counts[rank] as number) + 1;
  }
  let least = HALVES;
  let count = 0;
  while (count < size) {
    least -= 1;
    count += counts[least] as number;
  }
  const found = new Int32Array(count);
  for (let i = 0, filled = 0; i < bits.length; i += 1) {
    if (rankOf(i) >= least) found[filled++] = i;
  }
  return found;
}

function comparer(keys: readonly SortKey[]): (a: number, b: number) => number {
  const [first] = keys;
  if (keys.length === 1 && first?.kind === 'number') {
    const column = first.keys;
    return (a, b) => {
      const x = column[a] as number;
      const y = column[b] as number;
      return x < y ? -1 : x > y ? 1 : a - b;
    };
  }
  return (a, b) => comparePositions(keys, a, b);
}

function select(keys: readonly SortKey[], count: number, size: number): Int32Array {
  const compare = comparer(keys);
  const heap = startHeap(size, compare);
  for (let position = size; position < count; position += 1) {
    if (compare(position, heap[0] as number) < 0) replaceRoot(heap, position, compare);
  }
  return heap.sort(compare);
}

function selectByNumber(keys: readonly SortKey[], first: Float64Array, count: number, size: number): Int32Array {
  const compare = comparer(keys);
  const heap = startHeap(size, compare);
  const isSole = keys.length === 1;
  let worst = first[heap[0] as number] as number;
  for (let position = size; position < count; position += 1) {
    const key = first[position] as number;
    // Equal under the only criterion: the earlier position wins, and it is already in the heap.
    if (key > worst || (isSole && key === worst)) continue;
    if (key === worst && compare(position, heap[0] as number) > 0) continue;
    replaceRoot(heap, position, compare);
    worst = first[heap[0] as number] as number;
  }
  return heap.sort(compare);
}

/** 0, 1, 2, … */
function ascending(count: number): Int32Array {
  const numbers = new Int32Array(count);
  for (let i = 0; i < count; i += 1) numbers[i] = i;
  return numbers;
}

type Compare = (a: number, b: number) => number;

function startHeap(size: number, compare: Compare): Int32Array {
  const heap = ascending(size);
  for (let i = (size >>> 1) - 1; i >= 0; i -= 1) sink(heap, i, compare);
  return heap;
}

function replaceRoot(heap: Int32Array, position: number, compare: Compare): void {
  heap[0] = position;
  sink(heap, 0, compare);
}

function sink(heap: Int32Array, from: number, compare: Compare): void {
  let i = from;
  const moving = heap[i] as number;
  for (;;) {
    let child = 2 * i + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && compare(heap[child + 1] as number, heap[child] as number) > 0) child += 1;
    if (compare(heap[child] as number, moving) <= 0) break;
    heap[i] = heap[child] as number;
    i = child;
  }
  heap[i] = moving;
}
