import type { JsonObject, JsonValue } from '@millrace/actions';
import type { FieldPath } from '../schema/FieldPath.js';
import type { Query, Sort } from '../schema/Query.js';
import type { Hit } from './Document.js';

/** A search: docs/reference/search.md. `K` are the fields that it returns. */
export interface Search<T, K extends keyof T = keyof T> {
  /** Absent: every document. */
  readonly query?: Query<T>;
  /** First hit, from 0; `from` + `size` may be 10,000 at most. */
  readonly from?: number;
  /** Number of hits. Default 10. */
  readonly size?: number;
  readonly sort?: Sort<T> | readonly Sort<T>[];
  /** `sort` of the last hit of the page before. */
  readonly search_after?: readonly JsonValue[];
  /** Aggregations by name. */
  readonly aggs?: { readonly [name: string]: Aggregation<T> };
  /**
   * Fields of the documents to return. Default: all. With `maxLength`, longer strings are cut to that many characters
   * and `…`, longer lists to one item more.
   */
  readonly _source?: readonly K[] | { readonly includes?: readonly K[]; readonly maxLength: number };
  readonly highlight?: {
    readonly fields: { readonly [F in FieldPath<T>]?: object };
    readonly [option: string]: unknown;
  };
  readonly post_filter?: Query<T>;
  readonly min_score?: number;
  /** A time span such as `10s`. */
  readonly timeout?: string;
}

/** One aggregation, with its inner ones. */
export interface Aggregation<T> {
  readonly aggs?: { readonly [name: string]: Aggregation<T> };
  readonly [kind: string]: unknown;
}

/** The documents of a search, with the fields `K`. */
export interface SearchPage<T, K extends keyof T = keyof T> {
  readonly hits: readonly Hit<[keyof T] extends [K] ? T : Pick<T, K>>[];
  /** Number of all documents that match. */
  readonly total: number;
  /** Results by the names of the aggregations. */
  readonly aggregations?: JsonObject;
  /** True if the search took longer than `timeout`: hits may be missing. */
  readonly timedOut: boolean;
  /** Milliseconds in the server. */
  readonly tookMs: number;
}
