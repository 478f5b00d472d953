import type { BoundAggregation, BoundQuery } from '@millrace/query';
import type { DocumentRows } from '../results/DocumentRows.js';
import type { Matches } from '../queries/Matches.js';
import type { SearchScope } from '../SearchScope.js';
import { AggregationRun, type AggregationResult, type Compute } from './AggregationRun.js';
import { compositeAggregation } from './compositeAggregation.js';
import { cardinality, valueCount } from './countMetrics.js';
import {
  filterAggregation,
  filtersAggregation,
  missingAggregation,
  nestedAggregation,
  reverseNestedAggregation,
  rangeAggregation,
} from './bucketAggregations.js';
import { geohashGridAggregation } from './geohashGridAggregation.js';
import { dateHistogramAggregation, histogramAggregation } from './histogramAggregations.js';
import { extendedStats, medianAbsoluteDeviation, numberMetric, percentiles } from './metrics.js';
import { termsAggregation } from './termsAggregation.js';
import { topHits } from './topHits.js';

/** Computes the aggregations of a search over its matches, in Elasticsearch's format. @throws Refusal */
export function computeAggregations(
  aggregations: readonly BoundAggregation[],
  query: BoundQuery,
  matches: Matches,
  scope: SearchScope,
  rows: DocumentRows,
): AggregationResult {
  return computeAll(aggregations, matches.slots, new AggregationRun(scope, rows, matches, query, computeAll));
}

function computeAll(
  aggregations: readonly BoundAggregation[],
  slots: Int32Array,
  run: AggregationRun,
): AggregationResult {
  return Object.fromEntries(
    aggregations.map((aggregation) => {
      run.scope.deadline.check();
      const compute = COMPUTERS[aggregation.kind] as Compute<BoundAggregation['kind']>;
      const result = compute(aggregation, slots, run);
      return [aggregation.name, aggregation.meta === undefined ? result : { meta: aggregation.meta, ...result }];
    }),
  );
}

/** A function for every kind of aggregation. */
const COMPUTERS: { readonly [Kind in BoundAggregation['kind']]: Compute<Kind> } = {
  terms: termsAggregation,
  range: rangeAggregation,
  date_range: rangeAggregation,
  histogram: histogramAggregation,
  date_histogram: dateHistogramAggregation,
  filter: filterAggregation,
  filters: filtersAggregation,
  missing: missingAggregation,
  global: ({ aggregations }, _, run) => {
    const all = run.scope.index.living();
    return run.everywhere().bucket({ doc_count: all.length }, aggregations, all);
  },
  composite: compositeAggregation,
  min: numberMetric,
  max: numberMetric,
  avg: numberMetric,
  sum: numberMetric,
  stats: numberMetric,
  value_count: valueCount,
  extended_stats: extendedStats,
  cardinality,
  percentiles,
  median_absolute_deviation: medianAbsoluteDeviation,
  top_hits: topHits,
  nested: nestedAggregation,
  reverse_nested: reverseNestedAggregation,
  geohash_grid: geohashGridAggregation,
};
