import type { DateInterval, JsonObject, JsonScalar, JsonValue } from '@millrace/language';
import {
  MAX_BUCKETS,
  type BoundAggregation,
  type BoundQuery,
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
  switch (aggregation.kind) {
    case 'global':
      return {};
    case 'nested':
      return { path: aggregation.nestedPath };
    case 'reverse_nested':
      return present({ path: aggregation.nestedPath });
    case 'filter':
    case 'filters':
      return toFilters(aggregation, context.compiled);
    case 'top_hits':
      return toTopHits(aggregation, context);
    case 'composite': {
      const { sources, size, after, afterValues } = aggregation;
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
    }
    default:
      return toFieldBody(aggregation);
  }
}

type FieldAggregation = Extract<BoundAggregation, { readonly field: string }>;

/** Writes the aggregations over the values of one field. */
function toFieldBody(aggregation: FieldAggregation): JsonObject {
  const { field, missing } = aggregation;
  const format = 'format' in aggregation ? aggregation.format : undefined;
  return { field, ...present({ missing, format }), ...toFieldOptions(aggregation) };
}

function toFieldOptions(aggregation: FieldAggregation): JsonObject {
  switch (aggregation.kind) {
    case 'terms':
      return toTermsOptions(aggregation);
    case 'range':
    case 'date_range': {
      const timeZone = aggregation.kind === 'date_range' ? aggregation.timeZone : undefined;
      const ranges = aggregation.ranges.map(({ key, from, to }) => present({ key, from, to }));
      return { ranges, keyed: aggregation.keyed, ...present({ time_zone: timeZone }) };
    }
    case 'histogram': {
      const { interval, offset, minDocCount, keyed, order, extendedBounds, hardBounds } = aggregation;
      return {
        interval,
        offset,
        min_doc_count: minDocCount,
        keyed,
        order: order.map((each) => toOrder(each, aggregation.aggregations)),
        ...toBounds(extendedBounds, hardBounds),
      };
    }
    case 'date_histogram': {
      const { interval, timeZone, offsetMs, minDocCount, keyed, order } = aggregation;
      return {
        ...toInterval(interval),
        ...present({ time_zone: timeZone, offset: toOffset(offsetMs) }),
        min_doc_count: minDocCount,
        keyed,
        order: order.map((each) => toOrder(each, aggregation.aggregations)),
        ...toBounds(aggregation.extendedBounds, aggregation.hardBounds),
      };
    }
    case 'geohash_grid': {
      const { precision, size, bounds } = aggregation;
      if (bounds === undefined) return { precision, size };
      const { topLeft, bottomRight } = bounds;
      const corners = {
        top_left: { lat: topLeft.lat, lon: topLeft.lon },
        bottom_right: { lat: bottomRight.lat, lon: bottomRight.lon },
      };
      return { precision, size, bounds: corners };
    }
    case 'extended_stats':
      return { sigma: aggregation.sigma };
    case 'cardinality':
      return { precision_threshold: aggregation.precisionThreshold };
    case 'percentiles':
      return { percents: aggregation.percents, keyed: aggregation.keyed };
    case 'missing':
    case 'min':
    case 'max':
    case 'avg':
    case 'sum':
    case 'stats':
    case 'value_count':
    case 'median_absolute_deviation':
      return {};
  }
}

function toTermsOptions(aggregation: BoundAggregation<'terms'>): JsonObject {
  const { size, order, minDocCount, include, exclude, aggregations } = aggregation;
  return {
    size,
    order: order.map((each) => toOrder(each, aggregations)),
    min_doc_count: minDocCount,
    // Otherwise Elasticsearch drops buckets below the minimum only after it has selected them, and returns and counts
    // too few.
    ...(minDocCount > 1 ? { shard_size: MAX_BUCKETS } : {}),
    ...(include === undefined ? {} : { include: toTermsFilter(include) }),
    ...(exclude === undefined ? {} : { exclude: toTermsFilter(exclude) }),
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

function toFilters(
  aggregation: BoundAggregation<'filter'> | BoundAggregation<'filters'>,
  compiled: CompiledMapping,
): JsonObject {
  const write = (query: BoundQuery) => toElasticsearchQuery(query, compiled);
  if (aggregation.kind === 'filter') return write(aggregation.filter);
  const { keyed, filters, otherBucketKey } = aggregation;
  return {
    filters: keyed
      ? Object.fromEntries(filters.map(({ key, filter }) => [key, write(filter)]))
      : filters.map(({ filter }) => write(filter)),
    ...present({ other_bucket_key: otherBucketKey }),
  };
}

function toTopHits(aggregation: BoundAggregation<'top_hits'>, { compiled, ...marked }: AggregationContext): JsonObject {
  const { from, size, sort, source, highlight } = aggregation;
  return {
    from,
    size,
    _source: toSourceFilter(source),
    docvalue_fields: [VERSION_FIELD],
    ...(sort === undefined ? {} : { sort: sort.map((each) => toSort(each, compiled)) }),
    ...(highlight === undefined ? {} : { highlight: { ...toHighlight(highlight, compiled), ...marked } }),
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
