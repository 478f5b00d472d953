import type { DateInterval, JsonObject, JsonScalar, JsonValue, Point } from '@millrace/language';
import {
  MAX_BUCKETS,
  type BoundAggregation,
  type BucketOrder,
  type CompositeSource,
  type CompiledMapping,
  type HistogramBounds,
  type TermsFilter,
} from '@millrace/query';
import { VERSION_FIELD } from '../client/METADATA.js';
import { present } from './present.js';
import { toHighlight } from './toHighlight.js';
import { toSort } from './toSort.js';
import { toSourceFilter } from './toSourceFilter.js';
import { toElasticsearchQuery } from './toElasticsearchQuery.js';

/** Context for writing aggregations. */
export interface AggregationContext {
  readonly compiled: CompiledMapping;
  /** The query that `top_hits` highlights, if it is not the query of the search. */
  readonly highlight_query?: JsonObject;
}

/** Writes `aggs` for Elasticsearch, by name. */
export function toAggregations(aggregations: readonly BoundAggregation[], context: AggregationContext): JsonObject {
  return Object.fromEntries(
    aggregations.map((aggregation) => {
      const { name, kind, meta, aggregations: children } = aggregation;
      const body = toBody(aggregation, context);
      const aggs = children.length === 0 ? {} : { aggs: toAggregations(children, context) };
      return [name, { [kind]: body, ...(meta === undefined ? {} : { meta }), ...aggs }];
    }),
  );
}

function toBody(aggregation: BoundAggregation, context: AggregationContext): JsonObject {
  const write = WRITERS[aggregation.kind] as (of: BoundAggregation, context: AggregationContext) => JsonObject;
  return write(aggregation, context);
}

/** A function for every kind of aggregation. */
const WRITERS: {
  readonly [K in BoundAggregation['kind']]: (
    aggregation: BoundAggregation & { readonly kind: K },
    context: AggregationContext,
  ) => JsonObject;
} = {
  terms(aggregation) {
    const { size, order, minDocCount, include, exclude, aggregations } = aggregation;
    return {
      ...fieldOf(aggregation),
      size,
      order: order.map((each) => toOrder(each, aggregations)),
      min_doc_count: minDocCount,
      // Otherwise Elasticsearch drops buckets below the minimum only after it has selected them, and returns and counts
      // too few.
      ...(minDocCount > 1 ? { shard_size: MAX_BUCKETS } : {}),
      ...(include === undefined ? {} : { include: toTermsFilter(include) }),
      ...(exclude === undefined ? {} : { exclude: toTermsFilter(exclude) }),
    };
  },
  range: (aggregation) => ({ ...fieldOf(aggregation), ...rangesOf(aggregation) }),
  date_range: (aggregation) => ({
    ...fieldOf(aggregation),
    ...rangesOf(aggregation),
    ...present({ time_zone: aggregation.timeZone }),
  }),
  histogram(aggregation) {
    const { interval, offset } = aggregation;
    return { ...fieldOf(aggregation), interval, offset, ...histogramOptions(aggregation) };
  },
  date_histogram(aggregation) {
    const { interval, timeZone, offsetMs } = aggregation;
    const time = present({ time_zone: timeZone, offset: toOffset(offsetMs) });
    return { ...fieldOf(aggregation), ...toInterval(interval), ...time, ...histogramOptions(aggregation) };
  },
  filter: ({ filter }, { compiled }) => toElasticsearchQuery(filter, compiled),
  filters({ keyed, filters, otherBucketKey }, { compiled }) {
    const written = filters.map(({ key, filter }) => [key, toElasticsearchQuery(filter, compiled)] as const);
    return {
      filters: keyed ? Object.fromEntries(written) : written.map(([, query]) => query),
      ...present({ other_bucket_key: otherBucketKey }),
    };
  },
  missing: fieldOf,
  global: () => ({}),
  nested: ({ nestedPath }) => ({ path: nestedPath }),
  reverse_nested: ({ nestedPath }) => present({ path: nestedPath }),
  composite({ sources, size, after, afterValues }) {
    // Elasticsearch receives and returns dates in milliseconds: `toAggregationResults` formats them.
    const key = sources.map((source, i): [string, JsonValue] => {
      const isDate = source.kind === 'date_histogram' && source.format !== undefined;
      return [source.name, (isDate ? afterValues : after)?.[i] ?? null];
    });
    return {
      sources: sources.map(toSource),
      size,
      ...(after === undefined ? {} : { after: Object.fromEntries(key) }),
    };
  },
  geohash_grid(aggregation) {
    const { precision, size, bounds } = aggregation;
    const corner = ({ lat, lon }: Point) => ({ lat, lon });
    return {
      ...fieldOf(aggregation),
      precision,
      size,
      ...(bounds && { bounds: { top_left: corner(bounds.topLeft), bottom_right: corner(bounds.bottomRight) } }),
    };
  },
  min: fieldOf,
  max: fieldOf,
  avg: fieldOf,
  sum: fieldOf,
  stats: fieldOf,
  value_count: fieldOf,
  extended_stats: (aggregation) => ({ ...fieldOf(aggregation), sigma: aggregation.sigma }),
  cardinality: (aggregation) => ({
    ...fieldOf(aggregation),
    precision_threshold: aggregation.precisionThreshold,
  }),
  percentiles(aggregation) {
    const { percents, keyed } = aggregation;
    return { ...fieldOf(aggregation), percents, keyed };
  },
  median_absolute_deviation: fieldOf,
  top_hits: ({ from, size, sort, source, highlight }, { compiled, ...marked }) => ({
    from,
    size,
    _source: toSourceFilter(source),
    docvalue_fields: [VERSION_FIELD],
    ...(sort === undefined ? {} : { sort: sort.map((each) => toSort(each, compiled)) }),
    ...(highlight === undefined ? {} : { highlight: { ...toHighlight(highlight, compiled), ...marked } }),
  }),
};

/** The options of aggregations over the values of one field. */
function fieldOf(aggregation: Extract<BoundAggregation, { readonly field: string }>): JsonObject {
  const { field, missing } = aggregation;
  const format = 'format' in aggregation ? aggregation.format : undefined;
  return { field, ...present({ missing, format }) };
}

function rangesOf({ ranges, keyed }: BoundAggregation<'range'> | BoundAggregation<'date_range'>): JsonObject {
  return { ranges: ranges.map(({ key, from, to }) => present({ key, from, to })), keyed };
}

function histogramOptions(aggregation: BoundAggregation<'histogram'> | BoundAggregation<'date_histogram'>): JsonObject {
  const { minDocCount, keyed, order, aggregations, extendedBounds, hardBounds } = aggregation;
  return {
    min_doc_count: minDocCount,
    keyed,
    order: order.map((each) => toOrder(each, aggregations)),
    ...toBounds(extendedBounds, hardBounds),
  };
}

function toTermsFilter(filter: TermsFilter): JsonValue {
  switch (filter.kind) {
    case 'values':
      return filter.values.map(String);
    case 'pattern':
      return filter.pattern;
    case 'partition':
      return { partition: filter.partition, num_partitions: filter.partitionCount };
  }
}

function toOrder({ by, order }: BucketOrder, children: readonly BoundAggregation[]): JsonObject {
  return { [typeof by === 'string' ? `_${by}` : metricPath(by.metric, children)]: order };
}

/** `filter>stats[avg]`: a last part that names no aggregation is a value of the previous one. */
function metricPath([name = '', ...rest]: readonly string[], children: readonly BoundAggregation[]): string {
  const [next] = rest;
  if (next === undefined) return name;
  const child = children.find((each) => each.name === name);
  if (child === undefined) return metricPath([`${name}.${next}`, ...rest.slice(1)], children);
  const isValue = child.aggregations.length === 0 || next === '_count';
  return isValue ? `${name}[${rest.join('.')}]` : `${name}>${metricPath(rest, child.aggregations)}`;
}

function toInterval(interval: DateInterval): JsonObject {
  if (interval.kind === 'calendar') return { calendar_interval: interval.unit };
  return { fixed_interval: `${interval.ms}ms` };
}

function toOffset(offsetMs: number): string | undefined {
  return offsetMs === 0 ? undefined : `${offsetMs}ms`;
}

function toBounds(
  extended: HistogramBounds<JsonScalar> | undefined,
  hard: HistogramBounds<JsonScalar> | undefined,
): JsonObject {
  const write = (bounds: HistogramBounds<JsonScalar>) => present({ min: bounds.min, max: bounds.max });
  return {
    ...(extended === undefined ? {} : { extended_bounds: write(extended) }),
    ...(hard === undefined ? {} : { hard_bounds: write(hard) }),
  };
}

function toSource(source: CompositeSource): JsonObject {
  const { name, kind, field, order, missingBucket, missingOrder } = source;
  const common = {
    field,
    order,
    ...(missingBucket ? { missing_bucket: true, missing_order: missingOrder } : {}),
  };
  return { [name]: { [kind]: { ...common, ...toSourceOptions(source) } } };
}

function toSourceOptions(source: CompositeSource): JsonObject {
  switch (source.kind) {
    case 'terms':
      return {};
    case 'histogram':
      return { interval: source.interval };
    case 'date_histogram': {
      const { interval, timeZone, offsetMs } = source;
      return {
        ...toInterval(interval),
        ...present({ time_zone: timeZone, offset: toOffset(offsetMs) }),
      };
    }
  }
}
