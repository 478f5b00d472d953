import type { Value } from './values/Value.js';

/** One key of the keyspace. */
export interface Entry {
  readonly key: string;
  value: Value;
  /** UTC milliseconds; 0 for never. */
  expiresAtMs: number;
  lastUsedMs: number;
  /** The bytes that the keyspace has counted for it. */
  countedBytes: number;
  /** The last log rewrite that has saved it, or that began before it was created. */
  epoch: number;
}
