import { aggregationKind } from '../aggregations/AGGREGATION_KINDS.js';
import type { Aggregation } from '../tree/Aggregation.js';
import type { BoundAggregation } from '../tree/BoundAggregation.js';
import type { Binding } from './Binding.js';

/**
 * Binds an aggregation and those in it.
 * @param nestedDepth number of enclosing `nested` aggregations
 * @param nestedPath the nested field whose objects are aggregated
 * @throws QueryError
 */
export function bindAggregation(
  aggregation: Aggregation,
  binding: Binding,
  nestedDepth = 0,
  nestedPath?: string,
): BoundAggregation {
  const inside = pathInside(aggregation, binding, nestedPath);
  const depth = nestedDepth + (aggregation.kind === 'nested' ? 1 : 0);
  const bound = aggregationKind(aggregation).bind(aggregation, { binding, nestedDepth, nestedPath });
  const aggregations = aggregation.aggregations.map((child) => bindAggregation(child, binding, depth, inside));
  return { ...bound, aggregations };
}

/** The nested field whose objects the children of an aggregation aggregate; undefined: documents. */
function pathInside(
  aggregation: Aggregation,
  { compiled }: Binding,
  nestedPath: string | undefined,
): string | undefined {
  switch (aggregation.kind) {
    case 'nested':
      // An unmapped path doesn't change the scope of the children.
      return compiled.objects.has(aggregation.nestedPath) ? aggregation.nestedPath : nestedPath;
    case 'reverse_nested':
      return aggregation.nestedPath;
    case 'global':
      return undefined;
    default:
      return nestedPath;
  }
}
