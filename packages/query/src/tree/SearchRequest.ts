import type { JsonValue } from '@millrace/language';
import type { FieldRule } from '../view/FieldSet.js';
import type { Aggregation } from './Aggregation.js';
import type { Query } from './Query.js';
import type { Sort } from './Sort.js';

/** The part of `_source` that hits return; patterns may contain `*`. */
export interface SourceFilter {
  /** False: hits carry no `_source`. */
  readonly enabled: boolean;
  /** Empty: everything. */
  readonly includes: readonly string[];
  readonly excludes: readonly string[];
  /** Longer strings and lists are cut (SEARCH-6); absent: none. Only for the hits of a search. */
  readonly maxLength?: number;
}

/** A parsed and checked search (SEARCH-2), as an engine executes it. */
export interface SearchRequest<Q = Query> {
  readonly query: Q;
  readonly postFilter?: Q;
  readonly from: number;
  readonly size: number;
  /** As requested; absent if not given (the result repeats them only if given). */
  readonly fromGiven?: number;
  readonly sizeGiven?: number;
  /** Absent: by score, descending. */
  readonly sort?: readonly Sort<Q>[];
  readonly aggregations: readonly Aggregation<Q>[];
  readonly source: SourceFilter;
  readonly highlight?: Highlight<Q>;
  /** As long as `sort`; scalars or null. */
  readonly searchAfter?: readonly JsonValue[];
  readonly minScore?: number;
  readonly trackScores: boolean;
  readonly version: boolean;
  readonly timeoutMs?: number;
  /** The part of the collection that the caller sees, also of the documents in the result; absent: everything. */
  readonly view?: SearchView;
  /** Lifetime of the scroll to open, if requested. */
  readonly scrollMs?: number;
}

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

/** `inner_hits` of a `nested` query. */
export interface InnerHits<Q = Query> {
  /** Key in the result, default the nested path. */
  readonly name: string;
  readonly from: number;
  /** Default 3. */
  readonly size: number;
  /** Absent: by score. */
  readonly sort?: readonly Sort<Q>[];
  readonly source: SourceFilter;
  readonly highlight?: Highlight<Q>;
}
