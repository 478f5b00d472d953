import type { Query } from '../tree/Query.js';
import type { FieldRule } from './FieldRule.js';

/** The part of a collection that a search sees. */
export interface SearchView {
  /** The documents that match at least one of these queries; absent: every document. */
  readonly documents?: readonly Query[];
  /** The fields that each of these rules covers. */
  readonly fields: readonly FieldRule[];
}
