import type { JsonObject } from '@millrace/kernel';

/** Always one shard, whatever the engine uses, and no duration. */
const SHARDS: JsonObject = Object.freeze({ total: 1, successful: 1, failed: 0 });

/** Converts hits to the form of a search result. All match equally, so each scores 1. */
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
