import type { CompiledField } from '../mapping/CompiledMapping.js';
import { positiveClauses } from './positiveClauses.js';
import type { BoundQuery } from './Query.js';

/**
 * The fields whose values decide which documents a query matches, possibly some twice; null: also the number of objects
 * of a nested field, or fields that scores are computed from.
 */
export function searchedFields(query: BoundQuery): readonly CompiledField[] | null {
  switch (query.kind) {
    case 'match_all':
    case 'match_none':
    case 'ids':
      return [];
    case 'exists':
      return query.fields;
    case 'cross_fields':
      return query.words.flat(2).map(({ mapped }) => mapped);
    case 'nested':
    case 'function_score':
      return null;
    case 'bool':
      return fieldsOfAll([...positiveClauses(query), ...query.mustNot]);
    case 'constant_score':
    case 'dis_max':
    case 'boosting':
      return fieldsOfAll(positiveClauses(query));
    default:
      return [query.mapped];
  }
}

function fieldsOfAll(clauses: readonly BoundQuery[]): readonly CompiledField[] | null {
  const fields: CompiledField[] = [];
  for (const clause of clauses) {
    const own = searchedFields(clause);
    if (own === null) return null;
    fields.push(...own);
  }
  return fields;
}
