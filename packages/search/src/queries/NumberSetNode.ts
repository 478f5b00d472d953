import type { NumberColumn } from '../columns/NumberColumn.js';
import { constantMatches, type Matches } from './Matches.js';
import type { QueryNode } from './QueryNode.js';

/** Documents with one of several numbers, with a constant score. A scan of the column. */
export class NumberSetNode implements QueryNode {
  readonly test: (slot: number) => boolean;
  private readonly low: number;
  private readonly high: number;

  constructor(
    private readonly column: NumberColumn,
    private readonly wanted: ReadonlySet<number>,
    readonly constantScore: number,
  ) {
    this.low = [...wanted].reduce((low, value) => Math.min(low, value), Infinity);
    this.high = [...wanted].reduce((high, value) => Math.max(high, value), -Infinity);
    this.test = (slot) => this.has(slot);
  }

  estimate(): number {
    return this.wanted.size === 0 ? 0 : this.column.length;
  }

  match(): Matches {
    const slots = new Int32Array(this.column.length);
    let count = 0;
    for (let slot = 0; slot < slots.length; slot += 1) if (this.has(slot)) slots[count++] = slot;
    return constantMatches(slots.slice(0, count), this.constantScore);
  }

  private has(slot: number): boolean {
    const { column, wanted } = this;
    const value = column.first(slot);
    // Most values are outside the bounds and skip the set lookup.
    if (value >= this.low && value <= this.high && wanted.has(value)) return true;
    if (column.more.size === 0) return false;
    return column.more.get(slot)?.some((one) => wanted.has(one)) ?? false;
  }
}
