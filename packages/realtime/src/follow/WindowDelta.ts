import type { JsonObject, JsonValue } from '@millrace/kernel';
import { diffHits } from './diffHits.js';
import { diffJson } from './diffJson.js';
import type { FollowedResult } from './FollowedResult.js';
import type { HitChange } from './HitChange.js';
import { windowCheck } from './windowCheck.js';

/** What changes one result of a followed search into a later one (FOLLOW-5). */
export class WindowDelta {
  private constructor(
    readonly base: FollowedResult,
    readonly result: FollowedResult,
    private readonly changes: readonly HitChange[],
    private readonly patch: readonly JsonValue[],
  ) {}

  /** @returns undefined if the results are equal */
  static between(base: FollowedResult, result: FollowedResult): WindowDelta | undefined {
    const changes = diffHits(base.hits, result.hits);
    const patch = patchOf(base.aggregations, result.aggregations);
    const isEqual = changes.length === 0 && patch.length === 0 && base.total === result.total;
    return isEqual ? undefined : new WindowDelta(base, result, changes, patch);
  }

  /** As the content of a notification. */
  toJson(): JsonObject {
    const { base, result, changes, patch } = this;
    return {
      base: base.cursor,
      cursor: result.cursor,
      changes: changes.map(toJson),
      ...(base.total !== result.total && { total: result.total }),
      ...(patch.length > 0 && { aggregations: patch }),
      check: windowCheck(result.hits),
    };
  }
}

function toJson(change: HitChange): JsonObject {
  if (change.op === 'remove') return { ...change };
  return { ...change, hit: JSON.parse(change.hit.json) as JsonObject };
}

/** A replacement of the whole if that is shorter. */
function patchOf(before: JsonValue, after: JsonValue): JsonValue[] {
  if (before === null && after === null) return [];
  const patch = diffJson(before, after).map((operation): JsonObject => ({ ...operation }));
  const whole: JsonObject[] = [{ op: 'replace', path: '', value: after }];
  return JSON.stringify(patch).length > JSON.stringify(whole).length ? whole : patch;
}
