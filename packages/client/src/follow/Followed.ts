import type { Hit } from '../collection/Document.js';

/**
 * `connecting` until the first result, then `live`; `waiting` while the connection is lost: the last result stays
 * readable; `ended` by `close`, or by an error.
 */
export type FollowStatus = 'connecting' | 'live' | 'waiting' | 'ended';

/** The result of a followed search. A new object after each change, with the same hits where these have not changed. */
export interface FollowedResult<T> {
  readonly hits: readonly Hit<T>[];
  /** Number of all documents that match. */
  readonly total: number;
  /** Results by the names of the aggregations. */
  readonly aggregations: unknown;
}

/**
 * A search whose result is kept up to date by the server.
 *
 * ```ts
 * const nearlyEmpty = stations.follow({ query: { range: { bikes: { lt: 5 } } }, sort: [{ bikes: 'asc' }], size: 50 });
 * nearlyEmpty.onChange(() => show(nearlyEmpty.result?.hits ?? []));
 * ```
 */
export interface Followed<T> {
  /** Undefined until the first result. */
  readonly result: FollowedResult<T> | undefined;
  readonly status: FollowStatus;
  /** Why it has ended; undefined after `close`. */
  readonly error: Error | undefined;
  /** Resolves with the first result. Rejects if the search ends before. */
  readonly ready: Promise<FollowedResult<T>>;
  /** Calls the listener when `result` or `status` has changed. Returns the function that ends it. */
  onChange(listener: () => void): () => void;
  /** Ends it; the last result stays readable. */
  close(): void;
}
