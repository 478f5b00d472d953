import { excessOfQuery, type Excess } from '../cost/measureWork.js';
import type { CompiledMapping } from '../mapping/CompiledMapping.js';
import type { BoundQuery, Query } from '../tree/Query.js';
import { bindPart } from './bindPart.js';

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
