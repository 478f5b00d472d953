import type { Condition } from '../Filter.js';

/** A closed interval of doubles; either end may be infinite. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * Converts a range to a closed interval: the strict bound `gt: x` becomes the closed bound at the next double after x.
 * This is exact for every value, so comparisons needn't handle strictness.
 * @returns undefined if no double is inside
 */
export function toInterval({ lower, upper }: Condition & { readonly kind: 'range' }): Interval | undefined {
  let low = -Infinity;
  let high = Infinity;
  if (lower !== undefined) {
    if (!lower.isInclusive && lower.value === Infinity) return undefined;
    low = lower.isInclusive ? lower.value : nextAbove(lower.value);
  }
  if (upper !== undefined) {
    if (!upper.isInclusive && upper.value === -Infinity) return undefined;
    high = upper.isInclusive ? upper.value : -nextAbove(-upper.value);
  }
  return low <= high ? { low, high } : undefined;
}

const BITS = new DataView(new ArrayBuffer(8));

/** The smallest double above `value`: one step of its bit pattern. */
function nextAbove(value: number): number {
  if (value === Infinity) return Infinity;
  if (value === 0) return Number.MIN_VALUE;
  BITS.setFloat64(0, value);
  const bits = BITS.getBigInt64(0);
  BITS.setBigInt64(0, value > 0 ? bits + 1n : bits - 1n);
  return BITS.getFloat64(0);
}
