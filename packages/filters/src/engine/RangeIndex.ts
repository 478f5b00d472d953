import type { Interval } from './Interval.js';
import { IntervalCells } from './IntervalCells.js';
import type { MatchSink } from './MatchSink.js';
import { SortedBounds } from './SortedBounds.js';

/** Ranges on one field: those with two bounds in cells, those with one bound sorted by it. */
export class RangeIndex {
  private readonly cells = new IntervalCells();
  private readonly fromBelow = new SortedBounds();
  /** By the negated upper bound, so that both open kinds are searched alike. */
  private readonly fromAbove = new SortedBounds();

  get isEmpty(): boolean {
    return this.cells.isEmpty && this.fromBelow.isEmpty && this.fromAbove.isEmpty;
  }

  get byteCount(): number {
    return this.cells.byteCount + this.fromBelow.byteCount + this.fromAbove.byteCount;
  }

  add(interval: Interval, handle: number): void {
    const { low, high } = interval;
    if (high === Infinity) this.fromBelow.add(low, handle);
    else if (low === -Infinity) this.fromAbove.add(-high, handle);
    else this.cells.add(interval, handle);
  }

  remove(interval: Interval, handle: number): void {
    const { low, high } = interval;
    if (high === Infinity) this.fromBelow.remove(low, handle);
    else if (low === -Infinity) this.fromAbove.remove(-high, handle);
    else this.cells.remove(interval, handle);
  }

  collect(value: number, sink: MatchSink): void {
    if (!this.fromBelow.isEmpty) this.fromBelow.collect(value, sink);
    if (!this.fromAbove.isEmpty) this.fromAbove.collect(-value, sink);
    if (!this.cells.isEmpty) this.cells.collect(value, sink);
  }
}
