import { aggregationKind } from '../aggregations/AGGREGATION_KINDS.js';
import type { BoundAggregation } from '../tree/BoundAggregation.js';

/** Why aggregations can't be counted change by change, exactly; null if they can. */
export function whyNotCounted(aggregations: readonly BoundAggregation[]): string | null {
  for (const each of aggregations) {
    const reason = whyNot(each);
    if (reason !== null) return `${each.kind} at ${each.path}: ${reason}`;
    const inside = whyNotCounted(each.aggregations);
    if (inside !== null) return inside;
  }
  return null;
}

function whyNot(each: BoundAggregation): string | null {
  if ('mapped' in each && each.mapped === undefined) return `the field isn't mapped`;
  const reason = aggregationKind(each).whyNotCounted?.(each);
  return reason === undefined ? `can't be counted change by change` : reason;
}
