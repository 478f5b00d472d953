import type { IndexInput } from '../stored/IndexInput.js';
import type { IndexOutput } from '../stored/IndexOutput.js';
import { growFloat64 } from './grow.js';
import { ValueBuckets } from './ValueBuckets.js';

/** Shorter columns are scanned in less than a millisecond. */
const MIN_LENGTH_FOR_BUCKETS = 1 << 16;

/*
 * The numbers of one field. Nearly all documents have at most one value, which is stored in a flat array, with NaN for
 * none. Documents with several values have all of them, ascending, in a side map, and the smallest one in the flat
 * array. Slots from `length` on have no value, so a field present in a part of the documents only costs nothing
 * elsewhere.
 */
export class NumberColumn {
  values: Float64Array = new Float64Array(0);
  length = 0;
  readonly more = new Map<number, Float64Array>();
  /** Bounds of all values ever added: a superset of those alive. */
  min = Infinity;
  max = -Infinity;
  isIntegral = true;

  private lazyBuckets: ValueBuckets | undefined;
  private open: number[] = [];
  private openSlot = -1;

  /** Slots must not decrease between calls. */
  add(slot: number, value: number): void {
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
    if (this.isIntegral && !Number.isInteger(value)) this.isIntegral = false;
    if (slot >= this.length) {
      this.values = growFloat64(this.values, slot + 1);
      this.values.fill(NaN, this.length, slot);
      this.length = slot + 1;
      this.values[slot] = value;
      return;
    }
    if (this.openSlot !== slot) {
      this.seal();
      this.openSlot = slot;
      this.open = [this.values[slot] as number];
    }
    this.open.push(value);
  }

  /** Sorts the values of the last document. Must be called before reads. */
  seal(): void {
    if (this.openSlot === -1) return;
    const sorted = Float64Array.from(this.open).sort();
    this.values[this.openSlot] = sorted[0] as number;
    this.more.set(this.openSlot, sorted);
    this.openSlot = -1;
    this.open = [];
  }

  /** The smallest value of the document, NaN if it has none. */
  first(slot: number): number {
    return slot < this.length ? (this.values[slot] as number) : NaN;
  }

  /** True if one of the values is in [low, high]. */
  hasBetween(slot: number, low: number, high: number): boolean {
    const value = this.first(slot);
    if (value >= low && value <= high) return true;
    if (this.more.size === 0) return false;
    const all = this.more.get(slot);
    return all !== undefined && all.some((candidate) => candidate >= low && candidate <= high);
  }

  /** Slots by value, for narrow ranges; undefined if a scan is as fast. Contains all but the newest slots. */
  get buckets(): ValueBuckets | undefined {
    if (this.length < MIN_LENGTH_FOR_BUCKETS || this.more.size > 0) return undefined;
    const known = this.lazyBuckets;
    // Only new slots can extend the bounds, and they aren't looked up in the buckets.
    if (known !== undefined && this.length - known.length < this.length >>> 3) return known;
    this.lazyBuckets = new ValueBuckets(this.values, this.length, this.min, this.max);
    return this.lazyBuckets;
  }

  store(output: IndexOutput): void {
    output.json({ length: this.length, isIntegral: this.isIntegral ? 1 : 0 });
    output.array(Float64Array.of(this.min, this.max), 2);
    output.array(this.values, this.length);
    output.lists(this.more);
  }

  restore(input: IndexInput): void {
    const { length, isIntegral } = input.numbers('length', 'isIntegral');
    const [min = Infinity, max = -Infinity] = input.float64();
    this.length = length;
    this.isIntegral = isIntegral === 1;
    this.min = min;
    this.max = max;
    this.values = input.float64();
    input.lists((slot, values) => this.more.set(slot, values));
  }

  get byteLength(): number {
    return this.values.byteLength + this.more.size * 100 + (this.lazyBuckets?.byteLength ?? 0);
  }
}
