/*
 * Columns of numbers instead of objects: the matching loops read a filter's data from typed arrays, indexed by its
 * handle. A filter has one handle per access condition; the first one identifies the filter (its *slot*), the others
 * refer to it as `owner`. Freed handles are reused; when the last filter is removed the columns shrink to their initial
 * size.
 */
import type { CollectionFilters } from './CollectionFilters.js';
import type { CompiledLeaf, CompiledTest } from './CompiledTest.js';

const FIRST_CAPACITY = 16;
const NONE = -1;

/** What remains to be tested once an access condition of the filter holds: nothing. */
export const SURE = 0;
/** The residual. */
export const REST = 1;
/** The residual is the whole filter, including its access conditions. */
export const WHOLE = 2;
/** Nothing, but several access conditions may hold at once. */
export const ONCE = 3;
/** A residual per access condition, one of which must hold; several may hold at once. */
export const ANY = 4;

export class HandleTable {
  owner!: Int32Array;
  /** Position of a handle in its posting list: a hint. */
  position!: Int32Array;
  /** Position of a handle in a list of negated conditions: a hint. */
  negativePosition!: Int32Array;
  /** By slot: one of SURE, REST, WHOLE, ONCE, ANY. */
  remainder!: Uint8Array;
  /** By slot: the last document this filter was a candidate for. */
  triedAt!: Int32Array;
  /** The last document for which a negated condition doesn't hold. */
  excludedAt!: Int32Array;
  private next!: Int32Array;
  /** By slot. */
  ids!: string[];
  access!: (CompiledLeaf | undefined)[];
  /** By slot; for ANY by handle. */
  residual!: (CompiledTest | undefined)[];
  collection!: (CollectionFilters | undefined)[];
  private capacity = 0;
  private firstFree = NONE;
  private liveCount = 0;

  constructor() {
    this.reset();
  }

  /** @param owner the slot; undefined for a new one */
  allocate(owner: number | undefined): number {
    if (this.firstFree === NONE) this.grow();
    const handle = this.firstFree;
    this.firstFree = this.next[handle] ?? NONE;
    this.liveCount++;
    this.owner[handle] = owner ?? handle;
    this.next[handle] = NONE;
    this.triedAt[handle] = 0;
    this.excludedAt[handle] = 0;
    if (owner !== undefined) {
      this.next[handle] = this.next[owner] ?? NONE;
      this.next[owner] = handle;
    }
    return handle;
  }

  /** The next handle of the same slot, or −1: `for (h = slot; h >= 0; h = handleAfter(h))` visits all. */
  handleAfter(handle: number): number {
    return this.next[handle] ?? NONE;
  }

  /** Frees a slot and its other handles. */
  release(slot: number): void {
    this.ids[slot] = '';
    this.collection[slot] = undefined;
    for (let handle = slot; handle !== NONE;) {
      const following = this.next[handle] ?? NONE;
      this.access[handle] = undefined;
      this.residual[handle] = undefined;
      this.next[handle] = this.firstFree;
      this.firstFree = handle;
      this.liveCount--;
      handle = following;
    }
    if (this.liveCount === 0 && this.capacity > FIRST_CAPACITY) this.reset();
  }

  /** Clears all document marks: generations restart. */
  forgetGenerations(): void {
    this.triedAt.fill(0);
    this.excludedAt.fill(0);
  }

  get byteCount(): number {
    // Six columns of 4 bytes, one of 1, four arrays of references.
    return this.capacity * (6 * 4 + 1 + 4 * 8);
  }

  private reset(): void {
    this.capacity = 0;
    this.firstFree = NONE;
    this.owner = this.position = this.negativePosition = new Int32Array(0);
    this.triedAt = this.excludedAt = this.next = new Int32Array(0);
    this.remainder = new Uint8Array(0);
    this.ids = [];
    this.access = [];
    this.residual = [];
    this.collection = [];
  }

  private grow(): void {
    const from = this.capacity;
    const capacity = Math.max(FIRST_CAPACITY, from + (from >> 1));
    const wider = (column: Int32Array) => {
      const copy = new Int32Array(capacity);
      copy.set(column);
      return copy;
    };
    this.owner = wider(this.owner);
    this.position = wider(this.position);
    this.negativePosition = wider(this.negativePosition);
    this.triedAt = wider(this.triedAt);
    this.excludedAt = wider(this.excludedAt);
    this.next = wider(this.next);
    const remainder = new Uint8Array(capacity);
    remainder.set(this.remainder);
    this.remainder = remainder;
    this.capacity = capacity;
    for (let handle = capacity - 1; handle >= from; handle--) {
      this.next[handle] = this.firstFree;
      this.firstFree = handle;
    }
  }
}

/**
 * A handle as indexes store it: complemented if the condition is the whole filter, so that a match needs no column
 * read.
 */
export function tagOf(handle: number, { remainder, owner }: HandleTable): number {
  return remainder[handle] === SURE && owner[handle] === handle ? ~handle : handle;
}
