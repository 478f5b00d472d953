import type { PostingList } from './PostingList.js';

/** What an index tells of the conditions that hold: the filters are matched, or, of negated conditions, left out. */
export interface MatchSink {
  add(handle: number): void;
  /** A filter, by its slot, that one condition is the whole of. */
  addSure(slot: number): void;
  addAll(list: PostingList): void;
  /** Those of the first `count` handles whose bounds, low and high in turn, hold the value between them. */
  addAround(value: number, bounds: Float64Array, handles: Int32Array, count: number): void;
}
