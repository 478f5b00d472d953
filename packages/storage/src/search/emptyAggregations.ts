import type { JsonObject, JsonValue } from '@millrace/kernel';
import { javaDouble, type Aggregation, type BucketRange, type JsonScalar } from '@millrace/query';

/**
 * Aggregations over no document at all, in Elasticsearch's response shapes: for an absent collection of an existing
 * index, which is searched as empty. The names of ranges by texts stay as requested, as there is no field to format them by.
 */
export function emptyAggregations(aggregations: readonly Aggregation[]): JsonObject {
  return Object.fromEntries(
    aggregations.map((aggregation) => {
      const { name, meta } = aggregation;
      const result = emptyResult(aggregation);
      return [name, meta === undefined ? result : { meta, ...result }];
    }),
  );
}

function emptyResult(aggregation: Aggregation): JsonObject {
  switch (aggregation.kind) {
    case 'terms':
      return { doc_count_error_upper_bound: 0, sum_other_doc_count: 0, buckets: [] };
    case 'range':
      return named(aggregation.keyed, aggregation.ranges.map(toNumberBucket), aggregation);
    case 'date_range':
      return named(
        aggregation.keyed,
        aggregation.ranges.map(({ key, from, to }) => ({
          key: key ?? `${from ?? '*'}-${to ?? '*'}`,
        })),
        aggregation,
      );
    case 'filters': {
      const keys = aggregation.filters.map(({ key }) => key);
      if (aggregation.otherBucketKey !== undefined) keys.push(aggregation.otherBucketKey);
      return named(aggregation.keyed, keys.map((key) => ({ key })), aggregation, aggregation.keyed); // prettier-ignore
    }
    case 'histogram':
    case 'date_histogram':
      return { buckets: aggregation.keyed ? {} : [] };
    case 'composite':
    case 'geohash_grid':
      return { buckets: [] };
    case 'filter':
    case 'missing':
    case 'global':
    case 'nested':
    case 'reverse_nested':
      return emptyBucket(aggregation);
    default:
      return emptyMetric(aggregation);
  }
}

type Metric = Extract<
  Aggregation,
  { readonly kind: `${'min' | 'max' | 'avg' | 'sum' | 'stats' | 'value_count' | 'extended_stats' | 'cardinality' | 'percentiles' | 'median_absolute_deviation' | 'top_hits'}` }
>; // prettier-ignore

function emptyMetric(metric: Metric): JsonObject {
  switch (metric.kind) {
    case 'min':
    case 'max':
    case 'avg':
    case 'median_absolute_deviation':
      return { value: null };
    case 'sum':
    case 'value_count':
    case 'cardinality':
      return { value: 0 };
    case 'stats':
      return EMPTY_STATS;
    case 'extended_stats':
      return { ...EMPTY_STATS, ...EMPTY_DEVIATIONS };
    case 'percentiles': {
      const values = metric.percents.map((percent) => [javaDouble(percent), null] as const);
      if (metric.keyed) return { values: Object.fromEntries(values) };
      return { values: metric.percents.map((key) => ({ key, value: null })) };
    }
    case 'top_hits':
      return { hits: { total: { value: 0, relation: 'eq' }, max_score: null, hits: [] } };
  }
}

const EMPTY_STATS: JsonObject = { count: 0, min: null, max: null, avg: null, sum: 0 };

const EMPTY_DEVIATIONS: JsonObject = {
  sum_of_squares: null,
  variance: null,
  variance_population: null,
  variance_sampling: null,
  std_deviation: null,
  std_deviation_population: null,
  std_deviation_sampling: null,
  std_deviation_bounds: {
    upper: null,
    lower: null,
    upper_population: null,
    lower_population: null,
    upper_sampling: null,
    lower_sampling: null,
  },
};

function emptyBucket({ aggregations }: Aggregation): JsonObject {
  return { doc_count: 0, ...emptyAggregations(aggregations) };
}

/** The buckets as an object by key, or as a list in which each tells its key (unless it is an anonymous filter). */
function named(
  isKeyed: boolean,
  buckets: readonly (JsonObject & { readonly key: string })[],
  aggregation: Aggregation,
  tellsKey = true,
): JsonObject {
  if (!isKeyed) {
    return {
      buckets: buckets.map(({ key, ...rest }) => ({
        ...(tellsKey ? { key } : {}),
        ...rest,
        ...emptyBucket(aggregation),
      })),
    };
  }
  const entries = buckets.map(({ key, ...rest }): [string, JsonValue] => [
    key,
    { ...rest, ...emptyBucket(aggregation) },
  ]);
  return { buckets: Object.fromEntries(entries) };
}

function toNumberBucket({ key, from, to }: BucketRange): JsonObject & { readonly key: string } {
  const [low, high] = [from, to].map(toBound);
  return {
    key: key ?? `${textOf(low)}-${textOf(high)}`,
    ...(typeof low === 'number' ? { from: low } : {}),
    ...(typeof high === 'number' ? { to: high } : {}),
  };
}

/** Numbers may be given as texts; what else is text would be a date. */
function toBound(bound: JsonScalar | undefined): JsonScalar | undefined {
  const number = typeof bound === 'string' && bound.trim() !== '' ? Number(bound) : bound;
  return Number.isNaN(number) ? bound : number;
}

/** A number as Elasticsearch writes it in keys: `5` is `5.0`. */
function textOf(bound: JsonScalar | undefined): string {
  return typeof bound === 'number' ? javaDouble(bound) : String(bound ?? '*');
}
