import type { IndexInput } from '../stored/IndexInput.js';
import type { IndexOutput } from '../stored/IndexOutput.js';
import { growFloat64 } from './grow.js';
import { PointGrid } from './PointGrid.js';

/** Shorter columns are scanned in less than a millisecond. */
const MIN_LENGTH_FOR_GRID = 1 << 14;

/**
 * The points of one field: latitude and longitude per slot, NaN for none; documents with several points have them in a
 * side map.
 */
export class PointColumn {
  lats: Float64Array = new Float64Array(0);
  lons: Float64Array = new Float64Array(0);
  length = 0;
  /** All points of a slot with several, as lat, lon, lat, lon, … */
  readonly more = new Map<number, number[]>();
  private lazyGrid: PointGrid | undefined;

  /** Slots must not decrease between calls. */
  add(slot: number, lat: number, lon: number): void {
    if (slot >= this.length) {
      this.lats = growFloat64(this.lats, slot + 1);
      this.lons = growFloat64(this.lons, slot + 1);
      this.lats.fill(NaN, this.length, slot);
      this.lons.fill(NaN, this.length, slot);
      this.length = slot + 1;
      this.lats[slot] = lat;
      this.lons[slot] = lon;
      return;
    }
    const all = this.more.get(slot);
    if (all === undefined) {
      this.more.set(slot, [this.lats[slot] as number, this.lons[slot] as number, lat, lon]);
    } else {
      all.push(lat, lon);
    }
  }

  has(slot: number): boolean {
    return slot < this.length && !Number.isNaN(this.lats[slot]);
  }

  /** True if one of the document's points satisfies `accepts`. */
  some(slot: number, accepts: (lat: number, lon: number) => boolean): boolean {
    if (!this.has(slot)) return false;
    if (accepts(this.lats[slot] as number, this.lons[slot] as number)) return true;
    const all = this.more.get(slot);
    if (all === undefined) return false;
    for (let i = 2; i < all.length; i += 2) {
      if (accepts(all[i] as number, all[i + 1] as number)) return true;
    }
    return false;
  }

  /** The result of `read` for each of the document's points. */
  pointsOf<T>(slot: number, read: (lat: number, lon: number) => T): T[] {
    if (!this.has(slot)) return [];
    const all = this.more.get(slot);
    if (all === undefined) return [read(this.lats[slot] as number, this.lons[slot] as number)];
    const results: T[] = [];
    for (let i = 0; i < all.length; i += 2) results.push(read(all[i] as number, all[i + 1] as number));
    return results;
  }

  /** Slots by place; undefined if a scan is as fast. Contains all but the newest slots. */
  get grid(): PointGrid | undefined {
    if (this.length < MIN_LENGTH_FOR_GRID || this.more.size > 0) return undefined;
    const known = this.lazyGrid;
    if (known !== undefined && this.length - known.length < this.length >>> 3) return known;
    this.lazyGrid = new PointGrid(this.lats, this.lons, this.length);
    return this.lazyGrid;
  }

  store(output: IndexOutput): void {
    output.json({ length: this.length });
    output.array(this.lats, this.length);
    output.array(this.lons, this.length);
    output.lists(this.more);
  }

  restore(input: IndexInput): void {
    this.length = input.numbers('length').length;
    this.lats = input.float64();
    this.lons = input.float64();
    input.lists((slot, values) => this.more.set(slot, [...values]));
  }

  get byteLength(): number {
    const grid = this.lazyGrid?.byteLength ?? 0;
    return this.lats.byteLength * 2 + this.more.size * 100 + grid;
  }
}
