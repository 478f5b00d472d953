import { clausesIn, kindOf } from './QUERY_KINDS.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import type { BoundQuery } from '../tree/Query.js';

/**
 * The fields whose values decide which documents a query matches, possibly some twice; null: also the number of objects
 * of a nested field, or fields that scores are computed from.
 */
export function searchedFields(query: BoundQuery): readonly CompiledField[] | null {
  const own = kindOf(query).fields(query);
  if (own === null) return null;
  const fields = [...own];
  const { positive, excluding = [] } = clausesIn(query);
  for (const clause of [...positive, ...excluding]) {
    const inside = searchedFields(clause);
    if (inside === null) return null;
    fields.push(...inside);
  }
  return fields;
}
