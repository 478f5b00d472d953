import type { BoundQuery, Query } from '../tree/Query.js';
import type { Binding } from './Binding.js';
import { QueryBinder } from './QueryBinder.js';

/**
 * Binds one query of a request and adds its cost.
 * @param nestedPath the nested field whose objects are searched, and whose fields a pattern finds; undefined: documents
 * @throws QueryError
 */
export function bindPart(query: Query, binding: Binding, nestedPath: string | undefined): BoundQuery {
  const cost = { path: query.path, lookups: 0, innerPassages: 0 };
  binding.costs.push(cost);
  const expanded = { clauseCount: 0 };
  const state = { nestedPath, startPath: nestedPath, cost, hitFactor: 1, expanded };
  return new QueryBinder(binding, state).bind(query);
}
