import type { PostingList } from './PostingList.js';

/** Receives from an index the conditions that hold: their filters match or, for negated conditions, are excluded. */
export interface MatchSink {
  /** @param tag a handle; complemented if the condition is the whole filter (`tagOf`) */
  add(tag: number): void;
  addAll(list: PostingList): void;
  /** Receives those of the first `count` tags whose bounds (alternating low and high) contain the value. */
  addAround(value: number, bounds: Float64Array, tags: Int32Array, count: number): void;
}

/** Identifiers of the filters affected by a change. */
export interface MatchChange {
  /** Match after the change but not before. */
  readonly entered: readonly string[];
  /** Match before and after. */
  readonly stayed: readonly string[];
  /** Match before the change but not after. */
  readonly left: readonly string[];
}
