import type { Cursor, JsonObject } from '@millrace/kernel';
import type { KeptResult } from './KeptResult.js';
import type { WindowHit } from './WindowHit.js';

/** The result of a followed search at one moment. */
export interface FollowedResult {
  /** Every change up to this position is in the result. */
  readonly cursor: Cursor;
  readonly hits: readonly WindowHit[];
  readonly total: number;
  readonly aggregations: JsonObject | null;
  /** Estimated memory. */
  readonly bytes: number;
  /** What keeps it up to date; absent: the search must be run again. */
  readonly kept?: KeptResult;
}
