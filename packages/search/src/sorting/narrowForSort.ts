import type { Sort } from '@millrace/query';
import type { Matches } from '../queries/Matches.js';
import { scoreAt } from '../queries/Matches.js';
import { advance } from '../queries/setOperations.js';
import { visibleIndex, type SearchScope } from '../SearchScope.js';

/** For longer pages, visiting everything is as fast. */
const MAX_LIMIT = 10_000;

/**
 * A subset of the matches that contains the first `limit` hits. If every document matches and the first criterion is a
 * number whose column is coarsely sorted, the subset is one end of the column, found without visiting the others. Else
 * all matches.
 */
export function narrowForSort(matches: Matches, sort: readonly Sort[], limit: number, scope: SearchScope): Matches {
  const { index } = scope;
  const [first] = sort;
  if (first?.kind !== 'field' || first.nested !== undefined || first.missing !== 'last') return matches;
  // After conversion to another type, different values may be equal.
  if (first.numericType !== undefined) return matches;
  if (limit > MAX_LIMIT || matches.slots.length !== index.livingCount) return matches;
  const field = visibleIndex(scope, first.field);
  if (field?.kind !== 'number' || !field.field.hasDocValues) return matches;
  const { buckets, length } = field.column;
  const { dead } = index;
  const isLiving = (slot: number) => dead[slot] === 0;
  const found = buckets?.ends(limit, first.order === 'desc', isLiving);
  if (buckets === undefined || found === undefined) return matches;
  for (let slot = buckets.length; slot < length; slot += 1) if (isLiving(slot)) found.push(slot);
  const slots = Int32Array.from(found).sort();
  return { slots, scores: matches.scores && scoresOf(slots, matches), score: matches.score };
}

function scoresOf(slots: Int32Array, matches: Matches): Float64Array {
  const scores = new Float64Array(slots.length);
  for (let i = 0, j = 0; i < slots.length; i += 1) {
    j = advance(matches.slots, j, slots[i] as number);
    scores[i] = scoreAt(matches, j);
  }
  return scores;
}
