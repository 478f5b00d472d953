import type { AreaColumns } from './AreaColumns.js';
import { type CellFrame, eastOf, northOf, SLACK } from './CellFrame.js';
import { IntegerList } from './IntegerList.js';
import type { MatchSink } from './MatchSink.js';

const FIRST_CAPACITY = 16;
/** Columns per entry: its number, and its position and radius on the cell's map. */
const STRIDE = 3;

/**
 * A grid cell with many areas: those that cover it, and contiguous columns that decide the others, so that a point
 * reads one stretch of memory.
 */
export class CrowdedCell {
  private readonly covering = new IntegerList([]);
  private rows = new Int32Array(STRIDE * FIRST_CAPACITY);
  private count = 0;

  get length(): number {
    return this.count + this.covering.length;
  }

  get byteCount(): number {
    return 300 + this.rows.length * 4 + this.covering.items.length * 4;
  }

  addCovering(entry: number): void {
    if (this.covering.last !== entry || this.covering.length === 0) this.covering.push(entry);
  }

  /** @param place and radius of the area on this cell's map; radius 0 if the map can't decide about it */
  add(entry: number, place: number, radius: number): void {
    const at = STRIDE * this.count;
    if (at > 0 && this.rows[at - STRIDE] === entry) return;
    if (at === this.rows.length) this.resize(this.count + (this.count >> 3) + 4);
    this.rows[at] = entry;
    this.rows[at + 1] = place;
    this.rows[at + 2] = radius;
    this.count++;
  }

  /** Takes out removed entries. */
  sweep(columns: AreaColumns): void {
    this.covering.filter((entry) => !columns.isGone(entry));
    const { rows } = this;
    let kept = 0;
    for (let at = 0; at < STRIDE * this.count; at += STRIDE) {
      if (columns.isGone(rows[at] as number)) continue;
      for (let i = 0; i < STRIDE; i++) rows[kept++] = rows[at + i] as number;
    }
    this.count = kept / STRIDE;
    if (this.count >= FIRST_CAPACITY && 3 * kept < rows.length) this.resize(2 * this.count);
  }

  /** @param frame of this cell; its last place is the point that the columns are set to */
  collect(columns: AreaColumns, { east, north }: CellFrame, sink: MatchSink): void {
    const { items, length } = this.covering;
    for (let i = 0; i < length; i++) columns.notify(items[i] as number, sink);
    const { rows } = this;
    const end = STRIDE * this.count;
    for (let at = 0; at < end; at += STRIDE) {
      const place = rows[at + 1] as number;
      const radius = rows[at + 2] as number;
      const dx = east - eastOf(place);
      const dy = north - northOf(place);
      const square = dx * dx + dy * dy;
      const outer = radius + SLACK;
      if (square > outer * outer && radius !== 0) continue;
      const inner = radius - SLACK;
      const entry = rows[at] as number;
      if ((square < inner * inner && radius !== 0) || columns.isInside(entry)) {
        columns.notify(entry, sink);
      }
    }
  }

  private resize(capacity: number): void {
    const rows = new Int32Array(STRIDE * capacity);
    rows.set(this.rows.subarray(0, STRIDE * this.count));
    this.rows = rows;
  }
}
