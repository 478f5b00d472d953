import type { Steps } from './Steps.js';

const RUN_LENGTH = 2_048;
const MERGED_PER_STEP = 2_048;

/** Sorts as `Array.sort` does (stable), in steps: sorted runs, merged pairwise. @returns a new array */
export function* sortInSteps<T>(items: readonly T[], compare: (left: T, right: T) => number): Steps<T[]> {
  let source: T[] = [];
  for (let at = 0; at < items.length; at += RUN_LENGTH) {
    for (const item of items.slice(at, at + RUN_LENGTH).sort(compare)) source.push(item);
    yield;
  }
  for (let width = RUN_LENGTH; width < source.length; width *= 2) {
    const merged: T[] = [];
    for (let at = 0; at < source.length; at += 2 * width) {
      const [middle, end] = [Math.min(at + width, source.length), Math.min(at + 2 * width, source.length)];
      let [left, right] = [at, middle];
      while (left < middle || right < end) {
        const isLeft = right >= end || (left < middle && compare(source[left] as T, source[right] as T) <= 0);
        merged.push(source[isLeft ? left++ : right++] as T);
        if (merged.length % MERGED_PER_STEP === 0) yield;
      }
    }
    source = merged;
  }
  return source;
}
