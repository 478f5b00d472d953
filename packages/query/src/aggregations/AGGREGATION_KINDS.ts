import type { Aggregation } from '../tree/Aggregation.js';
import type { AggregationKind, AggregationKinds } from './AggregationKind.js';
import { BUCKET_KINDS } from './bucketKinds.js';
import { COMPOSITE_KIND } from './compositeKind.js';
import { GEOHASH_GRID_KIND } from './geohashGridKind.js';
import { HISTOGRAM_KINDS } from './histogramKinds.js';
import { METRIC_KINDS } from './metricKinds.js';
import { TERMS_KIND } from './termsKind.js';

/** The supported aggregations (SEARCH-50). */
export const AGGREGATION_KINDS: AggregationKinds<Aggregation['kind']> = {
  terms: TERMS_KIND,
  ...BUCKET_KINDS,
  ...HISTOGRAM_KINDS,
  composite: COMPOSITE_KIND,
  geohash_grid: GEOHASH_GRID_KIND,
  ...METRIC_KINDS,
};

/** The definition of a kind. */
export function aggregationKind({ kind }: Pick<Aggregation, 'kind'>): AggregationKind<Aggregation['kind']> {
  return AGGREGATION_KINDS[kind] as unknown as AggregationKind<Aggregation['kind']>;
}

/** Whether the results of its children are members of its result, which is one bucket. */
export function isOneBucket(aggregation: Pick<Aggregation, 'kind'>): boolean {
  return aggregationKind(aggregation).children === 'in result';
}
