import type { JsonValue } from '@millrace/kernel';
import type { KeptHit } from './KeptHit.js';
import { BYTES_PER_CHARACTER, windowHitBytes } from './WindowHit.js';

const BYTES_PER_SORT_LIST = 80;
const BYTES_PER_SORT_VALUE = 32;

/** Whether a hit comes after one with these sort values. */
export type IsAfter = (sort: readonly JsonValue[]) => boolean;

/** The extent of the kept hits. */
export interface KeptExtent {
  /** The first hits that must be known. */
  readonly needed: number;
  /** `needed`, and those that take the place of hits that leave. */
  readonly max: number;
}

/**
 * The first hits of a search, in order. Hits up to the bound are known, others are not: a hit that leaves doesn't change
 * the bound, which is that of the last search or of the last hit that was dropped.
 */
export class KeptHits {
  /** Undefined: every hit is known. */
  private bound: readonly JsonValue[] | undefined;
  private byteCount = 0;

  /** @param isAll whether the search has no other hits */
  constructor(
    private readonly hits: KeptHit[],
    isAll: boolean,
    private readonly extent: KeptExtent,
  ) {
    this.bound = isAll ? undefined : hits.at(-1)?.sort;
    for (const hit of hits) this.byteCount += bytesOf(hit);
  }

  /** Whether hits that must be known are missing: search again. */
  get isShort(): boolean {
    return this.bound !== undefined && this.hits.length < this.extent.needed;
  }

  /** Estimated memory. */
  get bytes(): number {
    return this.byteCount;
  }

  slice(from: number, to: number): readonly KeptHit[] {
    return this.hits.slice(from, to);
  }

  /** @returns the place that the hit had; Infinity: it wasn't there */
  remove(id: string): number {
    const at = this.hits.findIndex((hit) => hit.id === id);
    if (at < 0) return Infinity;
    this.byteCount -= bytesOf(this.hits[at] as KeptHit);
    this.hits.splice(at, 1);
    return at;
  }

  /** @param make called if the hit is kept @returns its place; Infinity: it isn't kept */
  insert(isAfter: IsAfter, make: () => KeptHit): number {
    const { hits, bound, extent } = this;
    if (bound !== undefined && isAfter(bound)) return Infinity;
    let low = 0;
    let high = hits.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isAfter((hits[middle] as KeptHit).sort)) low = middle + 1;
      else high = middle;
    }
    const hit = make();
    hits.splice(low, 0, hit);
    this.byteCount += bytesOf(hit);
    if (hits.length > extent.max) {
      this.byteCount -= bytesOf(hits.pop() as KeptHit);
      this.bound = hits.at(-1)?.sort;
    }
    return low;
  }
}

function bytesOf(hit: KeptHit): number {
  let bytes = windowHitBytes(hit) + BYTES_PER_SORT_LIST;
  for (const value of hit.sort) {
    bytes += BYTES_PER_SORT_VALUE + (typeof value === 'string' ? BYTES_PER_CHARACTER * value.length : 0);
  }
  return bytes;
}
