import type { JsonObject } from '@millrace/language';
import type { Aggregation, BucketOrder } from '@millrace/query';

/** Keys of one `terms` that are kept. */
export const MAX_KEYS = 10_000;
const BY_KEY: readonly BucketOrder[] = [{ by: 'key', order: 'asc' }];

/** The aggregations whose results over disjoint documents can be added: with all keys, and counts next to averages. */
export function measuredAggregations(asked: readonly Aggregation[]): readonly Aggregation[] {
  return asked.map(({ meta: _shown, ...each }): Aggregation => {
    const own = measured(each);
    return { ...own, aggregations: measuredAggregations(each.aggregations) };
  });
}

/** Whether results of `measuredAggregations` have all keys. */
export function hasAllKeys(measured: JsonObject): boolean {
  return !/"sum_other_doc_count":[1-9]/.test(JSON.stringify(measured));
}

function measured(asked: Aggregation): Aggregation {
  switch (asked.kind) {
    case 'avg':
      return { ...asked, kind: 'stats' };
    case 'cardinality': {
      const { precisionThreshold: _exact, ...field } = asked;
      return { ...field, kind: 'terms', size: MAX_KEYS, minDocCount: 1, order: BY_KEY };
    }
    case 'terms':
      return { ...asked, size: MAX_KEYS, minDocCount: 1, order: BY_KEY };
    case 'histogram':
    case 'date_histogram':
      return { ...asked, minDocCount: 1 };
    default:
      return asked;
  }
}
