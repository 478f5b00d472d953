import type { Value } from './values/Value.js';

/** One key of the keyspace. */
export interface Entry {
  readonly key: string;
  value: Value;
  /** UTC milliseconds; 0 for never. */
  expiresAtMs: number;
  lastUsedMs: number;
  /** What the keyspace has counted for it. */
  countedBytes: number;
  /** The rewrite of the log that has it already, or that it is younger than. */
  epoch: number;
}
