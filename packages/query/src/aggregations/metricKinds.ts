import type { JsonValue } from '@millrace/language';
import { bindHighlight } from '../kinds/bindHighlight.js';
import { bindSort } from '../kinds/bindSort.js';
import { isIntegerType, isNumberType } from '../mapping/numberRange.js';
import { invalid } from '../errors.js';
import { type Options, toNumber } from '../parse/Options.js';
import { parseHighlight } from '../parse/parseHighlight.js';
import { parseSort } from '../parse/parseSort.js';
import { parseSourceFilter } from '../parse/parseSourceFilter.js';
import { present } from '../present.js';
import type { AggregationBase, MetricAggregation } from '../tree/Aggregation.js';
import type { BoundAggregation } from '../tree/BoundAggregation.js';
import { METRIC, type AggregationKinds, type OfKind } from './AggregationKind.js';
import { hasNumbers, isKeyed, readField, valuesBinder } from './fieldValues.js';

const DEFAULT_PERCENTS = [1, 5, 25, 50, 75, 95, 99] as const;
const MAX_PERCENTS = 1000;
const MAX_TOP_HITS = 100;

const STATS_VALUES: ReadonlySet<string> = new Set(['count', 'min', 'max', 'avg', 'sum']);
const EXTENDED_VALUES: ReadonlySet<string> = new Set([
  ...STATS_VALUES,
  'sum_of_squares',
  'variance',
  'variance_population',
  'variance_sampling',
  'std_deviation',
  'std_deviation_population',
  'std_deviation_sampling',
]);

const bindNumbers = valuesBinder(hasNumbers);
const NUMBERS = { ...METRIC, bind: bindNumbers } as const;
/** Metrics with one value. */
const ONE_NUMBER = { ...NUMBERS, hasValue: isOneValue } as const;

/** The kinds that compute values from documents. */
export const METRIC_KINDS: AggregationKinds<
  | MetricAggregation['kind']
  | 'extended_stats'
  | 'cardinality'
  | 'percentiles'
  | 'median_absolute_deviation'
  | 'top_hits'
> = {
  min: { ...ONE_NUMBER, parse: metricParser('min'), whyNotCounted: () => null },
  max: { ...ONE_NUMBER, parse: metricParser('max'), whyNotCounted: () => null },
  avg: { ...ONE_NUMBER, parse: metricParser('avg'), whyNotCounted: whySum },
  sum: { ...ONE_NUMBER, parse: metricParser('sum'), whyNotCounted: whySum },
  stats: {
    ...NUMBERS,
    parse: metricParser('stats'),
    hasValue: (_, name) => name !== undefined && STATS_VALUES.has(name),
    whyNotCounted: whySum,
  },
  value_count: {
    ...ONE_NUMBER,
    parse: metricParser('value_count'),
    bind: valuesBinder(() => true),
    whyNotCounted: () => null,
  },
  extended_stats: {
    ...NUMBERS,
    parse: (options, base) => ({
      kind: 'extended_stats',
      ...readField(options, base),
      sigma: options.number('sigma', { min: 0 }) ?? 2,
      ...present({ format: options.text('format') }),
    }),
    hasValue: (_, name) => name !== undefined && EXTENDED_VALUES.has(name),
  },
  cardinality: {
    ...ONE_NUMBER,
    parse(options, base) {
      options.drop('execution_hint', 'rehash');
      return {
        kind: 'cardinality',
        ...readField(options, base),
        precisionThreshold: options.number('precision_threshold', { min: 0, isInteger: true }) ?? 3000,
      };
    },
    bind: valuesBinder(({ type }) => type !== 'geo_shape' && type !== 'binary'),
    counts: ({ precisionThreshold }) => ({ ...METRIC.counts(), buckets: Math.max(1, precisionThreshold / 100) }),
    whyNotCounted: ({ mapped }) => (isKeyed(mapped) ? null : `of a field of the type ${mapped?.type}`),
  },
  percentiles: {
    ...NUMBERS,
    parse(options, base) {
      options.drop('tdigest', 'hdr', 'compression');
      return {
        kind: 'percentiles',
        ...readField(options, base),
        percents: readPercents(options),
        keyed: options.boolean('keyed') ?? true,
        ...present({ format: options.text('format') }),
      };
    },
    counts: () => ({ ...METRIC.counts(), buckets: 10 }),
    hasValue: ({ percents }, name) => name !== undefined && percents.includes(Number(name)),
  },
  median_absolute_deviation: {
    ...ONE_NUMBER,
    parse(options, base) {
      options.number('compression', { above: 0 });
      options.drop('execution_hint');
      return {
        kind: 'median_absolute_deviation',
        ...readField(options, base),
        ...present({ format: options.text('format') }),
      };
    },
    bind: valuesBinder(({ type }) => isNumberType(type)),
    counts: () => ({ ...METRIC.counts(), buckets: 10 }),
  },
  top_hits: {
    ...METRIC,
    parse(options, base, queries) {
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
    },
    bind: ({ sort, highlight, ...rest }, { binding, nestedPath }) => ({
      ...rest,
      ...(sort && { sort: sort.map((each) => bindSort(each, binding, nestedPath === undefined)) }),
      ...(highlight && { highlight: bindHighlight(highlight, binding, nestedPath) }),
    }),
    counts: ({ from, size }) => ({ ...METRIC.counts(), buckets: (from + size) * 10 }),
  },
};

function metricParser<Kind extends MetricAggregation['kind']>(
  kind: Kind,
): (options: Options, base: AggregationBase) => OfKind<Kind, MetricAggregation> {
  return (options, base) => ({ kind, ...readField(options, base), ...present({ format: options.text('format') }) });
}

function isOneValue(_: unknown, name: string | undefined): boolean {
  return name === undefined || name === 'value';
}

function whySum({
  mapped,
  format,
  missingValue,
}: BoundAggregation<'sum' | 'avg' | 'stats' | 'value_count' | 'min' | 'max'>): string | null {
  const isWhole = format === undefined && mapped !== undefined && isIntegerType(mapped.type);
  if (isWhole && (missingValue === undefined || Number.isInteger(missingValue))) return null;
  return 'sums of fractions depend on their order';
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
