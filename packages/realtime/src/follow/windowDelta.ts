import type { Cursor, JsonValue } from '@millrace/kernel';
import { diffHits } from './diffHits.js';
import { diffJson } from './diffJson.js';
import type { FollowedResult } from './FollowedResult.js';
import type { HitChange } from './HitChange.js';
import { windowCheck } from './windowCheck.js';

/** Beyond it the whole is sent, without a look at which is shorter. */
const MAX_OPERATIONS = 2_000;
/** In characters. A longer one is sent, without a look at whether the whole is shorter. */
const LONG_PATCH = 2 ** 16;

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
  if (changes.length === 0 && patch === undefined && isTotal) return undefined;
  const parts = [
    `"base":${JSON.stringify(base.cursor)},"cursor":${JSON.stringify(result.cursor)}`,
    `"changes":[${changes.map(toJson).join(',')}]`,
    ...(isTotal ? [] : [`"total":${result.total}`]),
    ...(patch === undefined ? [] : [`"aggregations":${patch}`]),
    `"check":"${windowCheck(result.hits)}"`,
  ];
  return { base: base.cursor, json: `{${parts.join(',')}}` };
}

function toJson(change: HitChange): string {
  if (change.op === 'remove') return JSON.stringify(change);
  const { hit, ...step } = change;
  return `${JSON.stringify(step).slice(0, -1)},"hit":${hit.json}}`;
}

/** The JSON of a patch: a replacement of the whole if that is shorter. Undefined if nothing differs. */
function patchOf(before: JsonValue, after: JsonValue): string | undefined {
  if (before === after) return undefined;
  const { operations, comparedCount } = diffJson(before, after, MAX_OPERATIONS);
  if (operations.length === 0) return undefined;
  const whole = () => JSON.stringify([{ op: 'replace', path: '', value: after }]);
  if (operations.length > MAX_OPERATIONS) return whole();
  const patch = JSON.stringify(operations);
  // Each value has a comma or a bracket after it. Encoding takes some 20 ms per megabyte.
  if (patch.length <= 2 * comparedCount || patch.length > LONG_PATCH) return patch;
  const other = whole();
  return patch.length > other.length ? other : patch;
}
