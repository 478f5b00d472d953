import { excessOfQuery, type Excess } from '../cost/measureWork.js';
import type { CompiledMapping } from '../mapping/CompiledMapping.js';
import type { BoundQuery, Query } from '../tree/Query.js';
import type { Binding } from './Binding.js';
import { QueryBinder } from './QueryBinder.js';

/** A query bound by itself (`count`, `deleteByQuery`). */
export interface BoundRoot {
  readonly query: BoundQuery;
  /** The combinatorial part of the query, if it has one. */
  readonly excess: Excess | undefined;
}

/**
 * Binds a query to a mapping.
 * @param nowMs the request's `now`
 * @throws QueryError if the query doesn't fit the mapping or can't be interrupted
 */
export function bindQuery(query: Query, compiled: CompiledMapping, nowMs = 0): BoundRoot {
  const binding = { compiled, nowMs, costs: [] };
  const bound = bindPart(query, binding, undefined);
  return { query: bound, excess: excessOfQuery(binding.costs) };
}

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
