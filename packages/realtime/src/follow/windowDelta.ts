import type { Cursor, JsonObject, JsonValue } from '@millrace/kernel';
import { diffHits } from './diffHits.js';
import { diffJson } from './diffJson.js';
import type { FollowedResult } from './FollowedResult.js';
import type { HitChange } from './HitChange.js';
import { windowCheck } from './windowCheck.js';

/** What changes one result of a followed search into a later one (FOLLOW-5). */
export interface WindowDelta {
  /** Position of the earlier result. */
  readonly base: Cursor;
  /** The content of a notification. The JSON of hits is inserted as it is, since it was made already. */
  readonly json: string;
}

/** @returns undefined if the results are equal */
export function windowDelta(base: FollowedResult, result: FollowedResult): WindowDelta | undefined {
  const changes = diffHits(base.hits, result.hits);
  const patch = patchOf(base.aggregations, result.aggregations);
  const isTotal = base.total === result.total;
  if (changes.length === 0 && patch.length === 0 && isTotal) return undefined;
  const parts = [
    `"base":${JSON.stringify(base.cursor)},"cursor":${JSON.stringify(result.cursor)}`,
    `"changes":[${changes.map(toJson).join(',')}]`,
    ...(isTotal ? [] : [`"total":${result.total}`]),
    ...(patch.length > 0 ? [`"aggregations":${JSON.stringify(patch)}`] : []),
    `"check":"${windowCheck(result.hits)}"`,
  ];
  return { base: base.cursor, json: `{${parts.join(',')}}` };
}

function toJson(change: HitChange): string {
  if (change.op === 'remove') return JSON.stringify(change);
  const { hit, ...step } = change;
  return `${JSON.stringify(step).slice(0, -1)},"hit":${hit.json}}`;
}

/** A replacement of the whole if that is shorter. */
function patchOf(before: JsonValue, after: JsonValue): JsonValue[] {
  if (before === after) return [];
  const patch = diffJson(before, after).map((operation): JsonObject => ({ ...operation }));
  const whole: JsonObject[] = [{ op: 'replace', path: '', value: after }];
  return JSON.stringify(patch).length > JSON.stringify(whole).length ? whole : patch;
}
