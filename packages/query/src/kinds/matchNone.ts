import { present } from '../present.js';
import type { MatchNoneQuery, QueryBase } from '../tree/Query.js';

/** The bound form of a query that matches nothing, such as one on an unmapped field (SEARCH-20). */
export function matchNone({ boost, name, path }: QueryBase): MatchNoneQuery {
  return { kind: 'match_none', boost, path, ...present({ name }) };
}
