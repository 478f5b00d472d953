/*
 * Intervals indexed by the cells of a grid whose step fits their length.
 *
 * Problem: of 100,000 ranges that are added and removed, find those that contain a number. Idea: an interval of length
 * L is indexed in the two or three cells that it touches of the grid of step 2^floor(log2 L). A number looks up one
 * cell of each step in use and compares the bounds there, which are contiguous. More than a third of the candidates
 * match, whatever the mix of lengths. Adding and removing touch three cells and move nothing else.
 *
 * Refused: an interval tree (ten times as much memory, a pointer per comparison), a sorted array with a delta (its
 * merges block the event loop), fixed cells (one wide range fills them all).
 */
import type { Interval } from './Interval.js';
import type { MatchSink } from './MatchSink.js';

/** Entries of a cell: alternating low and high bounds, and the handle of each pair. */
class Cell {
  count = 0;
  handles = new Int32Array(2);
  bounds = new Float64Array(4);

  add({ low, high }: Interval, handle: number): void {
    if (this.count === this.handles.length) this.resize(2 * this.count);
    this.bounds[2 * this.count] = low;
    this.bounds[2 * this.count + 1] = high;
    this.handles[this.count++] = handle;
  }

  remove(handle: number): void {
    const at = this.handles.indexOf(handle);
    if (at < 0 || at >= this.count) return;
    const last = --this.count;
    this.handles[at] = this.handles[last] ?? 0;
    this.bounds.copyWithin(2 * at, 2 * last, 2 * last + 2);
    if (last > 1 && 4 * last <= this.handles.length) this.resize(2 * last);
  }

  private resize(capacity: number): void {
    const handles = new Int32Array(capacity);
    handles.set(this.handles.subarray(0, this.count));
    const bounds = new Float64Array(2 * capacity);
    bounds.set(this.bounds.subarray(0, 2 * this.count));
    [this.handles, this.bounds] = [handles, bounds];
  }
}

interface Level {
  readonly step: number;
  readonly cells: Map<number, Cell>;
}

export class IntervalCells {
  /** By the exponent of the step. */
  private readonly levels = new Map<number, Level>();

  get isEmpty(): boolean {
    return this.levels.size === 0;
  }

  get byteCount(): number {
    let bytes = 0;
    for (const { cells } of this.levels.values()) {
      bytes += 200 + cells.size * 300;
      for (const { handles } of cells.values()) bytes += handles.length * 20;
    }
    return bytes;
  }

  add(interval: Interval, handle: number): void {
    const exponent = exponentFor(interval);
    let level = this.levels.get(exponent);
    if (level === undefined) {
      this.levels.set(exponent, (level = { step: 2 ** exponent, cells: new Map() }));
    }
    const { step, cells } = level;
    const last = Math.floor(interval.high / step);
    for (let number = Math.floor(interval.low / step); number <= last; number++) {
      let cell = cells.get(number);
      if (cell === undefined) cells.set(number, (cell = new Cell()));
      cell.add(interval, handle);
    }
  }

  remove(interval: Interval, handle: number): void {
    const exponent = exponentFor(interval);
    const level = this.levels.get(exponent);
    if (level === undefined) return;
    const { step, cells } = level;
    const last = Math.floor(interval.high / step);
    for (let number = Math.floor(interval.low / step); number <= last; number++) {
      const cell = cells.get(number);
      cell?.remove(handle);
      if (cell?.count === 0) cells.delete(number);
    }
    if (cells.size === 0) this.levels.delete(exponent);
  }

  collect(value: number, sink: MatchSink): void {
    for (const { step, cells } of this.levels.values()) {
      const cell = cells.get(Math.floor(value / step));
      if (cell === undefined) continue;
      sink.addAround(value, cell.bounds, cell.handles, cell.count);
    }
  }
}

/** Cell numbers stay below 2^50, so they are exact; the step stays a normal double, so dividing by it is exact too. */
const MAX_NUMBER_BITS = 50;
const MIN_EXPONENT = -1_000;

function exponentFor({ low, high }: Interval): number {
  const length = Math.min(high - low, Number.MAX_VALUE);
  const reach = Math.max(Math.abs(low), Math.abs(high));
  const fitting = length > 0 ? exponentOf(length) : MIN_EXPONENT;
  return Math.max(fitting, exponentOf(reach) - MAX_NUMBER_BITS, MIN_EXPONENT);
}

const DOUBLE = new DataView(new ArrayBuffer(8));

/** floor(log2 x) of a positive normal double, exactly; for smaller ones a number below all others. */
function exponentOf(value: number): number {
  DOUBLE.setFloat64(0, value);
  return ((DOUBLE.getUint16(0) >> 4) & 0x7ff) - 1_023;
}
