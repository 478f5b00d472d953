import type { JsonValue } from '@millrace/language';
import { invalid } from '../../errors.js';
import { present } from '../../present.js';
import type * as tree from '../../tree/Aggregation.js';
import { type Options, toNumber } from '../Options.js';
import { parseHighlight } from '../parseHighlight.js';
import { parseSort } from '../parseSort.js';
import { parseSourceFilter } from '../parseSourceFilter.js';
import type { QueryParser } from '../QueryParser.js';
import { readField } from './aggregationField.js';

const DEFAULT_PERCENTS = [1, 5, 25, 50, 75, 95, 99] as const;
const MAX_PERCENTS = 1000;
const MAX_TOP_HITS = 100;

export function parseMetric(
  kind: tree.MetricAggregation['kind'],
): (options: Options, base: tree.AggregationBase) => tree.MetricAggregation {
  return (options, base) => ({
    kind,
    ...readField(options, base),
    ...present({ format: options.text('format') }),
  });
}

export function parseExtendedStats(options: Options, base: tree.AggregationBase): tree.ExtendedStatsAggregation {
  return {
    kind: 'extended_stats',
    ...readField(options, base),
    sigma: options.number('sigma', { min: 0 }) ?? 2,
    ...present({ format: options.text('format') }),
  };
}

export function parseCardinality(options: Options, base: tree.AggregationBase): tree.CardinalityAggregation {
  options.drop('execution_hint', 'rehash');
  return {
    kind: 'cardinality',
    ...readField(options, base),
    precisionThreshold: options.number('precision_threshold', { min: 0, isInteger: true }) ?? 3000,
  };
}

export function parsePercentiles(options: Options, base: tree.AggregationBase): tree.PercentilesAggregation {
  options.drop('tdigest', 'hdr', 'compression');
  return {
    kind: 'percentiles',
    ...readField(options, base),
    percents: readPercents(options),
    keyed: options.boolean('keyed') ?? true,
    ...present({ format: options.text('format') }),
  };
}

function readPercents(options: Options): readonly number[] {
  const value = options.raw('percents');
  if (value === undefined) return DEFAULT_PERCENTS;
  const expected = `a list of 1 to ${MAX_PERCENTS} numbers from 0 to 100`;
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_PERCENTS) {
    return options.fail('percents', expected);
  }
  return (value as readonly JsonValue[])
    .map((item) => {
      const percent = toNumber(item);
      if (percent !== undefined && percent >= 0 && percent <= 100) return percent;
      return options.fail('percents', expected);
    })
    .sort((a, b) => a - b);
}

export function parseMedianAbsoluteDeviation(
  options: Options,
  base: tree.AggregationBase,
): tree.MedianAbsoluteDeviationAggregation {
  options.number('compression', { above: 0 });
  options.drop('execution_hint');
  return {
    kind: 'median_absolute_deviation',
    ...readField(options, base),
    ...present({ format: options.text('format') }),
  };
}

export function parseTopHits(
  options: Options,
  base: tree.AggregationBase,
  queries: QueryParser,
): tree.TopHitsAggregation {
  const from = options.number('from', { min: 0, isInteger: true }) ?? 0;
  const size = options.number('size', { min: 0, isInteger: true }) ?? 3;
  if (from + size > MAX_TOP_HITS) {
    throw invalid(base.path, `from + size of top_hits at ${base.path} must be ≤ ${MAX_TOP_HITS}`);
  }
  const given = options.raw('sort');
  const sort = given === undefined ? [] : parseSort(given, `${base.path}.sort`, queries);
  const highlight = options.raw('highlight');
  return {
    kind: 'top_hits',
    ...base,
    from,
    size,
    source: parseSourceFilter(options.raw('_source'), `${base.path}._source`),
    version: options.boolean('version') ?? false,
    ...present({
      sort: sort.length === 0 ? undefined : sort,
      highlight: highlight === undefined ? undefined : parseHighlight(highlight, `${base.path}.highlight`, queries),
    }),
  };
}
