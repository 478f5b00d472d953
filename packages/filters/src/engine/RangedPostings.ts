import type { FieldIndex } from './FieldIndex.js';
import { REST, type HandleTable } from './HandleTable.js';
import type { Interval } from './Interval.js';

const FIRST_CAPACITY = 8;

/**
 * Filters that are decided by one range once their access condition holds (`and(equals, range)`, the commonest shape):
 * their bounds lie in one column, so that a candidate costs two comparisons of neighbouring numbers.
 */
export class RangedPostings {
  count = 0;
  /** Handles of filters with several access conditions; the complement of others. */
  tags = new Int32Array(FIRST_CAPACITY);
  /** Low and high of each entry in turn. */
  bounds = new Float64Array(2 * FIRST_CAPACITY);

  constructor(readonly field: FieldIndex) {}

  add(handle: number, { low, high }: Interval, table: HandleTable): void {
    if (this.count === this.tags.length) this.resize(2 * this.count);
    table.position[handle] = this.count;
    this.bounds[2 * this.count] = low;
    this.bounds[2 * this.count + 1] = high;
    this.tags[this.count++] = rangedTagOf(handle, table);
  }

  /** @returns whether the handle was here */
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

/** With its range the filter is matched, unless another access condition has found it already. */
function rangedTagOf(handle: number, { remainder, owner }: HandleTable): number {
  return remainder[owner[handle] ?? 0] === REST ? ~handle : handle;
}
