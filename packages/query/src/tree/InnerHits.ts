import type { Highlight } from './Highlight.js';
import type { Query } from './Query.js';
import type { Sort } from './Sort.js';
import type { SourceFilter } from './SourceFilter.js';

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
