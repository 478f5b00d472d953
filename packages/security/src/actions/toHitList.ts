import type { JsonObject } from '@millrace/kernel';

/** One shard per search, whatever the engine makes of it, and no time worth telling. */
const SHARDS: JsonObject = Object.freeze({ total: 1, successful: 1, failed: 0 });

/** Hits in the form of a search: all match alike, so each scores 1. */
export function toHitList(hits: readonly JsonObject[], total: number): JsonObject {
  return {
    hits,
    total,
    max_score: hits.length === 0 ? null : 1,
    timed_out: false,
    took: 0,
    _shards: SHARDS,
  };
}
