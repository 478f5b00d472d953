import type { BoundAggregation, BoundQuery } from '@millrace/query';
import type { DocumentRows } from '../results/DocumentRows.js';
import type { Matches } from '../queries/Matches.js';
import type { SearchScope } from '../SearchScope.js';
import { AggregationRun, type AggregationResult } from './AggregationRun.js';
import { compositeAggregation } from './compositeAggregation.js';
import { cardinality, valueCount } from './countMetrics.js';
import { filterAggregation, filtersAggregation, missingAggregation } from './filterAggregations.js';
import { geohashGridAggregation } from './geohashGridAggregation.js';
import { dateHistogramAggregation, histogramAggregation } from './histogramAggregations.js';
import { extendedStats, medianAbsoluteDeviation, numberMetric, percentiles } from './metrics.js';
import { nestedAggregation, reverseNestedAggregation } from './nestedAggregations.js';
import { rangeAggregation } from './rangeAggregations.js';
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
      const result = compute(aggregation, slots, run);
      return [aggregation.name, aggregation.meta === undefined ? result : { meta: aggregation.meta, ...result }];
    }),
  );
}

function compute(aggregation: BoundAggregation, slots: Int32Array, run: AggregationRun): AggregationResult {
  run.scope.deadline.check();
  switch (aggregation.kind) {
    case 'terms':
      return termsAggregation(aggregation, slots, run);
    case 'range':
    case 'date_range':
      return rangeAggregation(aggregation, slots, run);
    case 'histogram':
      return histogramAggregation(aggregation, slots, run);
    case 'date_histogram':
      return dateHistogramAggregation(aggregation, slots, run);
    case 'filter':
      return filterAggregation(aggregation, slots, run);
    case 'filters':
      return filtersAggregation(aggregation, slots, run);
    case 'missing':
      return missingAggregation(aggregation, slots, run);
    case 'global': {
      const all = run.scope.index.living();
      return run.everywhere().bucket({ doc_count: all.length }, aggregation.aggregations, all);
    }
    case 'composite':
      return compositeAggregation(aggregation, slots, run);
    case 'min':
    case 'max':
    case 'avg':
    case 'sum':
    case 'stats':
      return numberMetric({ ...aggregation, kind: aggregation.kind }, slots, run);
    case 'value_count':
      return valueCount(aggregation, slots, run);
    case 'extended_stats':
      return extendedStats(aggregation, slots, run);
    case 'cardinality':
      return cardinality(aggregation, slots, run);
    case 'percentiles':
      return percentiles(aggregation, slots, run);
    case 'median_absolute_deviation':
      return medianAbsoluteDeviation(aggregation, slots, run);
    case 'top_hits':
      return topHits(aggregation, slots, run);
    case 'nested':
      return nestedAggregation(aggregation, slots, run);
    case 'reverse_nested':
      return reverseNestedAggregation(aggregation, slots, run);
    case 'geohash_grid':
      return geohashGridAggregation(aggregation, slots, run);
  }
}
