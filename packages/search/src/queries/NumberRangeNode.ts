import type { NumberColumn } from '../columns/NumberColumn.js';
import type { ValueBuckets } from '../columns/ValueBuckets.js';
import { constantMatches, filterMatches, type Matches } from './Matches.js';
import type { QueryNode } from './QueryNode.js';
import { inOrder } from './setOperations.js';

/** Sorting a found document costs this many times more than scanning one. */
const NARROW_RATIO = 4;

/** Documents with a number in [low, high], with a constant score. A scan of the column. */
export class NumberRangeNode implements QueryNode {
  readonly test: (slot: number) => boolean;

  constructor(
    private readonly column: NumberColumn,
    private readonly low: number,
    private readonly high: number,
    readonly constantScore: number,
  ) {
    this.test = (slot) => column.hasBetween(slot, low, high);
  }

  narrow(matches: Matches): Matches {
    const { column, low, high } = this;
    const { values, length, more } = column;
    const { slots, scores, score } = matches;
    if (more.size > 0 || scores !== undefined) return filterMatches(matches, this.test);
    const kept = new Int32Array(slots.length);
    let count = 0;
    for (let i = 0; i < slots.length; i += 1) {
      const slot = slots[i] as number;
      const value = slot < length ? (values[slot] as number) : NaN;
      kept[count] = slot;
      count += value >= low && value <= high ? 1 : 0;
    }
    return { slots: kept.subarray(0, count), scores: undefined, score };
  }

  estimate(): number {
    const { min, max, length, buckets } = this.column;
    if (this.high < min || this.low > max || this.low > this.high) return 0;
    if (buckets === undefined) return length;
    return buckets.count(this.low, this.high) + length - buckets.length;
  }

  match(): Matches {
    const { column, low, high } = this;
    const { values, length, more } = column;
    const estimate = this.estimate();
    if (estimate === 0) return constantMatches(new Int32Array(0), 0);
    const { buckets } = column;
    if (buckets !== undefined && estimate * NARROW_RATIO < length) {
      return constantMatches(this.matchNarrow(buckets), this.constantScore);
    }
    const slots = new Int32Array(length);
    let count = 0;
    if (more.size === 0) {
      // Written unconditionally, kept by counting: avoids an unpredictable branch.
      for (let slot = 0; slot < length; slot += 1) {
        const value = values[slot] as number;
        slots[count] = slot;
        count += value >= low && value <= high ? 1 : 0;
      }
    } else {
      for (let slot = 0; slot < length; slot += 1) {
        if (column.hasBetween(slot, low, high)) slots[count++] = slot;
      }
    }
    return constantMatches(slots.slice(0, count), this.constantScore);
  }

  private matchNarrow(buckets: ValueBuckets): Int32Array {
    const { column, low, high } = this;
    const { values, length } = column;
    const { certain, possible } = buckets.candidates(low, high);
    const room = certain.length + possible[0].length + possible[1].length;
    const slots = new Int32Array(room + length - buckets.length);
    slots.set(certain);
    let count = certain.length;
    for (const candidates of possible) {
      for (let i = 0; i < candidates.length; i += 1) {
        const slot = candidates[i] as number;
        const value = values[slot] as number;
        if (value >= low && value <= high) slots[count++] = slot;
      }
    }
    for (let slot = buckets.length; slot < length; slot += 1) {
      const value = values[slot] as number;
      if (value >= low && value <= high) slots[count++] = slot;
    }
    return inOrder(slots.subarray(0, count), length);
  }
}
