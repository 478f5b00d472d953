import type { Query } from './Query.js';

/** One field of `highlight`; its options override the common ones. */
export interface HighlightField<Q = Query> {
  /** May contain `*`. */
  readonly field: string;
  readonly preTags: readonly string[];
  readonly postTags: readonly string[];
  /** Characters, default 100. */
  readonly fragmentSize: number;
  /** Default 5; 0: the whole field. */
  readonly numberOfFragments: number;
  readonly noMatchSize: number;
  readonly requireFieldMatch: boolean;
  /** Absent: the search's query. */
  readonly highlightQuery?: Q;
  readonly order: 'none' | 'score';
  readonly encoder: 'default' | 'html';
}

/** `highlight`: its fields in the given order. */
export interface Highlight<Q = Query> {
  readonly fields: readonly HighlightField<Q>[];
}
