import { growFloat64 } from './grow.js';
import { ValueBuckets } from './ValueBuckets.js';

/** Shorter columns are scanned in less than a millisecond. */
const MIN_LENGTH_FOR_BUCKETS = 1 << 14;

/** The points of one field: latitude and longitude per slot, NaN for none; further points of a slot in a side map. */
export class PointColumn {
  lats: Float64Array = new Float64Array(0);
  lons: Float64Array = new Float64Array(0);
  length = 0;
  /** All points of a slot with several, as lat, lon, lat, lon, … */
  readonly more = new Map<number, number[]>();
  private lazyBuckets: ValueBuckets | undefined;

  /** Slots must not fall from call to call. */
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

  /** True where one of the document's points satisfies `accepts`. */
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

  /** What `read` makes of each of the document's points. */
  pointsOf<T>(slot: number, read: (lat: number, lon: number) => T): T[] {
    if (!this.has(slot)) return [];
    const all = this.more.get(slot);
    if (all === undefined) return [read(this.lats[slot] as number, this.lons[slot] as number)];
    const results: T[] = [];
    for (let i = 0; i < all.length; i += 2)
      results.push(read(all[i] as number, all[i + 1] as number));
    return results;
  }

  /** Slots by latitude; undefined where a scan serves as well. All but the newest slots are in it. */
  get byLatitude(): ValueBuckets | undefined {
    if (this.length < MIN_LENGTH_FOR_BUCKETS || this.more.size > 0) return undefined;
    const known = this.lazyBuckets;
    if (known !== undefined && this.length - known.length < this.length >>> 3) return known;
    this.lazyBuckets = new ValueBuckets(this.lats, this.length, -90, 90);
    return this.lazyBuckets;
  }

  get byteLength(): number {
    const buckets = this.lazyBuckets?.byteLength ?? 0;
    return this.lats.byteLength * 2 + this.more.size * 100 + buckets;
  }
}
