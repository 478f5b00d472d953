/** What the change log records, and how long it keeps it. */
export interface HistoryOptions {
  /** Milliseconds. */
  readonly maxAgeMs: number;
  /** Bytes of all collections without pins together. */
  readonly maxBytes: number;
  /**
   * `subscribed`: those with a subscription, and `maxAgeMs` longer; `all`: all but those of the internal index; or a
   * list of `index/collection` that are recorded in addition to `subscribed`.
   */
  readonly collections: 'subscribed' | 'all' | readonly string[];
  /** Milliseconds: how long a pin keeps changes. */
  readonly maxPinnedAgeMs: number;
  /** Bytes of all collections with pins together. */
  readonly maxPinnedBytes: number;
}

export const DEFAULT_HISTORY: HistoryOptions = {
  maxAgeMs: 15 * 60_000,
  maxBytes: 256 * 1024 * 1024,
  collections: 'subscribed',
  maxPinnedAgeMs: 3 * 24 * 60 * 60_000,
  maxPinnedBytes: 256 * 1024 * 1024,
};
