import type { Aggregation, AggregationBase } from '../../tree/Aggregation.js';
import type { Options } from '../Options.js';
import type { QueryParser } from '../QueryParser.js';
import * as bucket from './bucketAggregations.js';
import { parseComposite } from './compositeAggregation.js';
import { parseGeohashGrid } from './geohashGridAggregation.js';
import { parseDateHistogram, parseHistogram } from './histogramAggregations.js';
import * as metric from './metricAggregations.js';
import { parseTerms } from './termsAggregation.js';

type ParseAggregation = (options: Options, base: AggregationBase, queries: QueryParser) => Aggregation;

/** The supported aggregations (SEARCH-50). */
export const AGGREGATION_PARSERS: ReadonlyMap<string, ParseAggregation> = new Map<string, ParseAggregation>([
  ['terms', parseTerms],
  ['range', bucket.parseRange],
  ['date_range', bucket.parseDateRange],
  ['histogram', parseHistogram],
  ['date_histogram', parseDateHistogram],
  ['filter', bucket.parseFilter],
  ['filters', bucket.parseFilters],
  ['missing', bucket.parseMissing],
  ['global', bucket.parseGlobal],
  ['nested', bucket.parseNested],
  ['reverse_nested', bucket.parseReverseNested],
  ['composite', parseComposite],
  ['geohash_grid', parseGeohashGrid],
  ['min', metric.parseMetric('min')],
  ['max', metric.parseMetric('max')],
  ['avg', metric.parseMetric('avg')],
  ['sum', metric.parseMetric('sum')],
  ['stats', metric.parseMetric('stats')],
  ['value_count', metric.parseMetric('value_count')],
  ['extended_stats', metric.parseExtendedStats],
  ['cardinality', metric.parseCardinality],
  ['percentiles', metric.parsePercentiles],
  ['median_absolute_deviation', metric.parseMedianAbsoluteDeviation],
  ['top_hits', metric.parseTopHits],
]);

/** Kinds that may have sub-aggregations. */
export const BUCKET_KINDS: ReadonlySet<string> = new Set([
  'terms',
  'range',
  'date_range',
  'histogram',
  'date_histogram',
  'filter',
  'filters',
  'missing',
  'global',
  'nested',
  'reverse_nested',
  'composite',
  'geohash_grid',
]);
