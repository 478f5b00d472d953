import { constantMatches, noMatches, scoreAt, type Matches } from './Matches.js';

/*
 * Sets of slots are ascending lists. Two are intersected by walking both or, if one is much shorter, by searching the
 * longer one from the last position (doubling steps): the cost depends on the shorter list.
 */

/** Length ratio from which searching is faster than walking. */
const GALLOP_RATIO = 16;

/** The first position from `from` on whose slot is at least `slot`. */
export function advance(slots: Int32Array, from: number, slot: number): number {
  let step = 1;
  let low = from;
  let high = from;
  while (high < slots.length && (slots[high] as number) < slot) {
    low = high + 1;
    high += step;
    step *= 2;
  }
  if (high > slots.length) high = slots.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((slots[middle] as number) < slot) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The documents in both, with the sum of their scores. */
export function intersect(a: Matches, b: Matches): Matches {
  const isSwapped = a.slots.length > b.slots.length;
  const short = isSwapped ? b : a;
  const long = isSwapped ? a : b;
  const slots = new Int32Array(short.slots.length);
  const hasScores = a.scores !== undefined || b.scores !== undefined;
  const scores = hasScores ? new Float64Array(short.slots.length) : undefined;
  const isGalloping = long.slots.length > short.slots.length * GALLOP_RATIO;
  let count = 0;
  let j = 0;
  for (let i = 0; i < short.slots.length; i += 1) {
    const slot = short.slots[i] as number;
    if (isGalloping) j = advance(long.slots, j, slot);
    else while (j < long.slots.length && (long.slots[j] as number) < slot) j += 1;
    if (j === long.slots.length) break;
    if (long.slots[j] !== slot) continue;
    if (scores !== undefined) scores[count] = scoreAt(short, i) + scoreAt(long, j);
    slots[count++] = slot;
  }
  if (count === 0) return noMatches();
  return {
    slots: slots.subarray(0, count),
    scores: scores?.subarray(0, count),
    score: a.score + b.score,
  };
}

/** The documents of `a` that are not in `b`, with the scores of `a`. */
export function subtract(a: Matches, b: Int32Array): Matches {
  return partition(a, b, 0);
}

/** The documents of `a` that are in `b`, with the scores of `a`. */
export function restrict(a: Matches, b: Int32Array): Matches {
  return partition(a, b, 1);
}

function partition(a: Matches, b: Int32Array, wanted: 0 | 1): Matches {
  const slots = new Int32Array(a.slots.length);
  const scores = a.scores === undefined ? undefined : new Float64Array(a.slots.length);
  let count = 0;
  let j = 0;
  for (let i = 0; i < a.slots.length; i += 1) {
    const slot = a.slots[i] as number;
    j = advance(b, j, slot);
    const isIn = j < b.length && b[j] === slot ? 1 : 0;
    if (isIn !== wanted) continue;
    if (scores !== undefined) scores[count] = (a.scores as Float64Array)[i] as number;
    slots[count++] = slot;
  }
  return { slots: slots.subarray(0, count), scores: scores?.subarray(0, count), score: a.score };
}

/** How the scores of the matching clauses of a document are combined. */
export type Combination = { readonly kind: 'sum' } | { readonly kind: 'max'; readonly tieBreaker: number };

/** Called between clauses: a thousand lists of a large collection take seconds. */
export type Check = () => void;

const unchecked: Check = () => undefined;

/**
 * The documents that at least `minimum` of the clauses match. One pass over each list sets marks in a bitmap and adds
 * scores to an array by slot; a pass over the bitmap gathers them in order.
 * @param slotCount above every slot
 * @param check throws if the search has to end
 */
export function unite(
  clauses: readonly Matches[],
  slotCount: number,
  minimum: number,
  isScored: boolean,
  combination: Combination = { kind: 'sum' },
  check: Check = unchecked,
): Matches {
  const filled = clauses.filter((clause) => clause.slots.length > 0);
  const [only] = filled;
  if (only === undefined || filled.length < minimum) return noMatches();
  if (filled.length === 1) return isScored ? only : constantMatches(only.slots, 0);
  const bitmap = new Uint32Array((slotCount + 31) >>> 5);
  const counts = minimum > 1 ? new Uint16Array(slotCount) : undefined;
  for (const { slots } of filled) {
    check();
    for (let i = 0; i < slots.length; i += 1) {
      const slot = slots[i] as number;
      bitmap[slot >>> 5] = (bitmap[slot >>> 5] as number) | (1 << (slot & 31));
    }
    if (counts === undefined) continue;
    for (let i = 0; i < slots.length; i += 1) {
      const slot = slots[i] as number;
      counts[slot] = (counts[slot] as number) + 1;
    }
  }
  if (isScored && combination.kind === 'sum') {
    return gatherSums(filled, { slotCount, bitmap, counts, minimum }, check);
  }
  const slots = gather(bitmap, counts, minimum);
  if (!isScored) return constantMatches(slots, 0);
  const tieBreaker = combination.kind === 'max' ? combination.tieBreaker : 1;
  const bySlot = bestScores(filled, slotCount, tieBreaker, check);
  const scores = Float64Array.from(slots, (slot) => bySlot[slot] as number);
  return { slots, scores, score: 0 };
}

/** Buffer for sums by slot, all 0 between calls: clearing the touched entries is cheaper than a new array. */
const NO_ROOM = new Float64Array(0);
let sums: Float64Array = NO_ROOM;

/** The marked slots with their sums; clears both on the way. */
function gatherSums(
  clauses: readonly Matches[],
  {
    slotCount,
    bitmap,
    counts,
    minimum,
  }: {
    readonly slotCount: number;
    readonly bitmap: Uint32Array;
    readonly counts: Uint16Array | undefined;
    readonly minimum: number;
  },
  check: Check,
): Matches {
  if (sums.length < slotCount) sums = new Float64Array(slotCount + (slotCount >>> 2));
  const all = sums;
  // An aborted search leaves sums in the buffer: the next search gets a new one.
  sums = NO_ROOM;
  for (const clause of clauses) {
    check();
    addScores(clause, all);
  }
  const capacity = countBits(bitmap);
  const slots = new Int32Array(capacity);
  const scores = new Float64Array(capacity);
  let count = 0;
  for (let word = 0; word < bitmap.length; word += 1) {
    let bits = bitmap[word] as number;
    while (bits !== 0) {
      const lowest = bits & -bits;
      const slot = word * 32 + 31 - Math.clz32(lowest);
      bits ^= lowest;
      slots[count] = slot;
      scores[count] = all[slot] as number;
      all[slot] = 0;
      count += counts === undefined || (counts[slot] as number) >= minimum ? 1 : 0;
    }
  }
  sums = all;
  return { slots: slots.subarray(0, count), scores: scores.subarray(0, count), score: 0 };
}

/** Slots in ascending order, each once. Uses marks in a bitmap: much cheaper than sorting, unless there are few. */
export function inOrder(slots: Int32Array, slotCount: number): Int32Array {
  if (slots.length * 64 < slotCount) return slots.sort();
  const bitmap = new Uint32Array((slotCount + 31) >>> 5);
  for (let i = 0; i < slots.length; i += 1) {
    const slot = slots[i] as number;
    bitmap[slot >>> 5] = (bitmap[slot >>> 5] as number) | (1 << (slot & 31));
  }
  return gather(bitmap, undefined, 1);
}

function countBits(bitmap: Uint32Array): number {
  let count = 0;
  for (let word = 0; word < bitmap.length; word += 1) count += bitCount(bitmap[word] as number);
  return count;
}

function gather(bitmap: Uint32Array, counts: Uint16Array | undefined, minimum: number): Int32Array {
  const slots = new Int32Array(countBits(bitmap));
  let count = 0;
  for (let word = 0; word < bitmap.length; word += 1) {
    let bits = bitmap[word] as number;
    while (bits !== 0) {
      const lowest = bits & -bits;
      const slot = word * 32 + 31 - Math.clz32(lowest);
      bits ^= lowest;
      if (counts === undefined || (counts[slot] as number) >= minimum) slots[count++] = slot;
    }
  }
  return slots.subarray(0, count);
}

function bitCount(bits: number): number {
  let v = bits - ((bits >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function bestScores(clauses: readonly Matches[], slotCount: number, tieBreaker: number, check: Check): Float64Array {
  const total = new Float64Array(slotCount);
  const best = new Float64Array(slotCount);
  for (const clause of clauses) {
    check();
    addScores(clause, total);
    for (let i = 0; i < clause.slots.length; i += 1) {
      const slot = clause.slots[i] as number;
      const score = scoreAt(clause, i);
      if (score > (best[slot] as number)) best[slot] = score;
    }
  }
  if (tieBreaker === 0) return best;
  return best.map((score, slot) => score + tieBreaker * ((total[slot] as number) - score));
}

function addScores({ slots, scores, score }: Matches, sums: Float64Array): void {
  if (scores === undefined) {
    for (let i = 0; i < slots.length; i += 1) {
      const slot = slots[i] as number;
      sums[slot] = (sums[slot] as number) + score;
    }
    return;
  }
  for (let i = 0; i < slots.length; i += 1) {
    const slot = slots[i] as number;
    sums[slot] = (sums[slot] as number) + (scores[i] as number);
  }
}

/** `a`, with the scores of `b` added if `b` contains the document. */
export function addOptional(a: Matches, b: Matches): Matches {
  if (b.slots.length === 0 || a.slots.length === 0) return a;
  const scores = a.scores === undefined ? new Float64Array(a.slots.length).fill(a.score) : a.scores.slice();
  let j = 0;
  for (let i = 0; i < a.slots.length && j < b.slots.length; i += 1) {
    const slot = a.slots[i] as number;
    j = advance(b.slots, j, slot);
    if (j < b.slots.length && b.slots[j] === slot) scores[i] = (scores[i] as number) + scoreAt(b, j);
  }
  return { slots: a.slots, scores, score: 0 };
}
