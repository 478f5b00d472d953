import type { FieldIndex } from './FieldIndex.js';
import { REST, type HandleTable } from './HandleTable.js';
import type { Interval } from './Interval.js';

const FIRST_CAPACITY = 8;

/**
 * Filters that one range decides once their access condition holds (`and(equals, range)`, the most common shape). Their
 * bounds are in one column, so a candidate costs two comparisons of adjacent numbers.
 */
export class RangedPostings {
  count = 0;
  /** Plain handles for filters with several access conditions; complemented handles for others. */
  tags = new Int32Array(FIRST_CAPACITY);
  /** Alternating low and high bounds of the entries. */
  bounds = new Float64Array(2 * FIRST_CAPACITY);

  constructor(readonly field: FieldIndex) {}

  add(handle: number, { low, high }: Interval, table: HandleTable): void {
    if (this.count === this.tags.length) this.resize(2 * this.count);
    table.position[handle] = this.count;
    this.bounds[2 * this.count] = low;
    this.bounds[2 * this.count + 1] = high;
    this.tags[this.count++] = rangedTagOf(handle, table);
  }

  /** @returns whether the handle was in this list */
  remove(handle: number, table: HandleTable): boolean {
    const tag = rangedTagOf(handle, table);
    const hint = table.position[handle] ?? 0;
    const isHinted = hint < this.count && this.tags[hint] === tag;
    const at = isHinted ? hint : this.tags.indexOf(tag);
    if (at < 0 || at >= this.count) return false;
    const last = --this.count;
    const moved = this.tags[last] ?? tag;
    this.tags[at] = moved;
    this.bounds.copyWithin(2 * at, 2 * last, 2 * last + 2);
    table.position[moved < 0 ? ~moved : moved] = at;
    if (last >= FIRST_CAPACITY && 4 * last <= this.tags.length) this.resize(2 * last);
    return true;
  }

  private resize(capacity: number): void {
    const tags = new Int32Array(capacity);
    tags.set(this.tags.subarray(0, this.count));
    const bounds = new Float64Array(2 * capacity);
    bounds.set(this.bounds.subarray(0, 2 * this.count));
    [this.tags, this.bounds] = [tags, bounds];
  }
}

/** The filter matches if its range does, unless another access condition has already found it. */
function rangedTagOf(handle: number, { remainder, owner }: HandleTable): number {
  return remainder[owner[handle] ?? 0] === REST ? ~handle : handle;
}
