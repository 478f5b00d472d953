import type { PostingList } from './PostingList.js';

/** What an index tells of the conditions that hold: the filters are matched, or, of negated conditions, left out. */
export interface MatchSink {
  /** @param tag a handle, or the complement of one whose filter the condition is the whole of (`tagOf`) */
  add(tag: number): void;
  addAll(list: PostingList): void;
  /** Those of the first `count` tags whose bounds, low and high in turn, hold the value between them. */
  addAround(value: number, bounds: Float64Array, tags: Int32Array, count: number): void;
}
