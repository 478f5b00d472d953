import { invalid } from '../errors.js';
import { pathInside } from '../tree/pathInside.js';
import type { Aggregation } from '../tree/Aggregation.js';
import type { BoundAggregation } from '../tree/BoundAggregation.js';
import { assertNestedPath } from './assertNestedPath.js';
import { bindComposite } from './bindComposite.js';
import { bindFieldAggregation } from './bindFieldAggregation.js';
import type { Binding } from './Binding.js';
import { bindHighlight } from './bindHighlight.js';
import { bindPart } from './bindPart.js';
import { bindSort } from './bindSort.js';

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
  const isNested = aggregation.kind === 'nested';
  // An unmapped path doesn't change the scope of the children.
  const isNowhere = isNested && !binding.compiled.objects.has(aggregation.nestedPath);
  const inside = isNowhere ? nestedPath : pathInside(aggregation, nestedPath);
  const depth = nestedDepth + (isNested ? 1 : 0);
  const bound = bindOwn(aggregation, binding, nestedDepth, nestedPath);
  const aggregations = aggregation.aggregations.map((child) => bindAggregation(child, binding, depth, inside));
  return { ...bound, aggregations };
}

type WithoutChildren<T> = T extends unknown ? Omit<T, 'aggregations'> : never;

function bindOwn(
  aggregation: Aggregation,
  binding: Binding,
  nestedDepth: number,
  nestedPath: string | undefined,
): WithoutChildren<BoundAggregation> {
  const { compiled } = binding;
  switch (aggregation.kind) {
    case 'filter':
      return { ...aggregation, filter: bindPart(aggregation.filter, binding, nestedPath) };
    case 'filters': {
      const filters = aggregation.filters.map(({ key, filter }) => ({
        key,
        filter: bindPart(filter, binding, nestedPath),
      }));
      return { ...aggregation, filters };
    }
    case 'nested':
      // An unmapped path counts nothing; a path of another kind is an error.
      if (compiled.objects.has(aggregation.nestedPath) || compiled.fields.has(aggregation.nestedPath))
        assertNestedPath(compiled, aggregation.nestedPath, aggregation.path);
      return aggregation;
    case 'reverse_nested':
      if (nestedDepth === 0)
        throw invalid(aggregation.path, `reverse_nested at ${aggregation.path} must be inside a nested aggregation`);
      if (aggregation.nestedPath !== undefined) assertNestedPath(compiled, aggregation.nestedPath, aggregation.path);
      return aggregation;
    case 'composite':
      return bindComposite(aggregation, binding);
    case 'top_hits': {
      const { sort, highlight, ...rest } = aggregation;
      return {
        ...rest,
        ...(sort && {
          sort: sort.map((each) => bindSort(each, binding, nestedPath === undefined)),
        }),
        ...(highlight && { highlight: bindHighlight(highlight, binding, nestedPath) }),
      };
    }
    case 'global':
      return aggregation;
    default:
      return bindFieldAggregation(aggregation, binding);
  }
}
