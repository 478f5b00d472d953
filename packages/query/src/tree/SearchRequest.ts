import type { JsonValue } from '@millrace/language';
import type { Aggregation } from './Aggregation.js';
import type { Highlight } from './Highlight.js';
import type { Query } from './Query.js';
import type { Sort } from './Sort.js';
import type { SearchView } from '../view/SearchView.js';
import type { SourceFilter } from './SourceFilter.js';

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
