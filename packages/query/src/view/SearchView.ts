import type { Query } from '../tree/Query.js';
import type { FieldRule } from './FieldRule.js';

/** The part of a collection that a search sees. */
export interface SearchView {
  /** The documents that match at least one of these queries; absent: every document. */
  readonly documents?: readonly Query[];
  /** The fields that each of these rules covers. */
  readonly fields: readonly FieldRule[];
  /** If documents show different fields: each shows those of all grants that cover it. Absent: each shows `fields`. */
  readonly grants?: readonly ViewGrant[];
}

/** The fields that some documents show. */
export interface ViewGrant {
  /** Null: every document. */
  readonly documents: Query | null;
  /** Null: all. */
  readonly fields: FieldRule | null;
}
