/*
 * The only form of an aggregation that engines execute (SEARCH-50), defaults resolved. Values that depend on the
 * field's type (`missing`, bounds of dates, `after`) stay as given; see `BoundAggregation`.
 */
import type { DateInterval, JsonObject, JsonScalar, Point } from '@millrace/language';
import type { Highlight } from './SearchRequest.js';
import type { Query } from './Query.js';
import type { Sort } from './Sort.js';
import type { SourceFilter } from './SearchRequest.js';

/** Properties of every aggregation. */
export interface AggregationBase<Q = Query> {
  readonly name: string;
  /** Echoed in the result. */
  readonly meta?: JsonObject;
  /** Position in the request, for messages: `aggs.tags.terms`. */
  readonly path: string;
  /** Children in the order given; always empty for metrics. */
  readonly aggregations: readonly Aggregation<Q>[];
}
/** Properties of aggregations over the values of a field. */
export interface FieldAggregationBase<Q = Query> extends AggregationBase<Q> {
  readonly field: string;
  /** Value for documents without one. */
  readonly missing?: JsonScalar;
}
/** One criterion; `metric` is `['stats', 'avg']` or `['price']`, looked up among the children. */
export interface BucketOrder {
  readonly by: 'count' | 'key' | { readonly metric: readonly string[] };
  readonly order: 'asc' | 'desc';
}
/**
 * `include` or `exclude` of `terms`: exact values, a Lucene pattern anchored at both ends, or one partition of all
 * terms.
 */
export type TermsFilter =
  | { readonly kind: 'values'; readonly values: readonly JsonScalar[] }
  | { readonly kind: 'pattern'; readonly pattern: string }
  | { readonly kind: 'partition'; readonly partition: number; readonly partitionCount: number };
/** Buckets by value. */
export interface TermsAggregation<Q = Query> extends FieldAggregationBase<Q> {
  readonly kind: 'terms';
  readonly size: number;
  /** Default `_count` desc; always ends with `_key` asc. */
  readonly order: readonly BucketOrder[];
  readonly minDocCount: number;
  readonly include?: TermsFilter;
  readonly exclude?: TermsFilter;
  readonly format?: string;
}
/** `from` inclusive, `to` exclusive, as given. */
export interface BucketRange {
  readonly key?: string;
  readonly from?: JsonScalar;
  readonly to?: JsonScalar;
}
/** Buckets by ranges of numbers or dates; they may overlap. */
export interface RangeAggregation<Q = Query> extends FieldAggregationBase<Q> {
  readonly kind: 'range';
  readonly ranges: readonly BucketRange[];
  readonly keyed: boolean;
  readonly format?: string;
}
/** Buckets by ranges of dates. */
export interface DateRangeAggregation<Q = Query> extends FieldAggregationBase<Q> {
  readonly kind: 'date_range';
  readonly ranges: readonly BucketRange[];
  readonly keyed: boolean;
  readonly format?: string;
  readonly timeZone?: string;
}
/** Both ends inclusive; absent: open. */
export interface HistogramBounds<Bound> {
  readonly min?: Bound;
  readonly max?: Bound;
}
/** Buckets of equal width. */
export interface HistogramAggregation<Q = Query> extends FieldAggregationBase<Q> {
  readonly kind: 'histogram';
  readonly interval: number;
  readonly offset: number;
  readonly minDocCount: number;
  readonly extendedBounds?: HistogramBounds<number>;
  readonly hardBounds?: HistogramBounds<number>;
  readonly keyed: boolean;
  readonly order: readonly BucketOrder[];
  readonly format?: string;
}
/** Buckets of time. */
export interface DateHistogramAggregation<Q = Query> extends FieldAggregationBase<Q> {
  readonly kind: 'date_histogram';
  readonly interval: DateInterval;
  readonly timeZone?: string;
  readonly offsetMs: number;
  readonly minDocCount: number;
  /** Date math or milliseconds. */
  readonly extendedBounds?: HistogramBounds<JsonScalar>;
  readonly hardBounds?: HistogramBounds<JsonScalar>;
  readonly keyed: boolean;
  readonly order: readonly BucketOrder[];
  readonly format?: string;
}
/** One bucket: the documents that match a query. */
export interface FilterAggregation<Q = Query> extends AggregationBase<Q> {
  readonly kind: 'filter';
  readonly filter: Q;
}
/** A bucket per query. */
export interface FiltersAggregation<Q = Query> extends AggregationBase<Q> {
  readonly kind: 'filters';
  /** False: the buckets are returned as a list and their names are `0`, `1`, … */
  readonly keyed: boolean;
  readonly filters: readonly { readonly key: string; readonly filter: Q }[];
  /** Name of the bucket for documents that match none; absent: no such bucket. */
  readonly otherBucketKey?: string;
}
/** One bucket: documents without a value of the field. */
export interface MissingAggregation<Q = Query> extends FieldAggregationBase<Q> {
  readonly kind: 'missing';
}
/** One bucket: the whole collection, whatever the query. */
export interface GlobalAggregation<Q = Query> extends AggregationBase<Q> {
  readonly kind: 'global';
}
/** One bucket: the nested objects of a path. */
export interface NestedAggregation<Q = Query> extends AggregationBase<Q> {
  readonly kind: 'nested';
  readonly nestedPath: string;
}
/** One bucket: from nested objects back to their parents. */
export interface ReverseNestedAggregation<Q = Query> extends AggregationBase<Q> {
  readonly kind: 'reverse_nested';
  /** Absent: the root document. */
  readonly nestedPath?: string;
}
/** Properties of every source of `composite`. */
export interface CompositeSourceBase {
  readonly name: string;
  readonly field: string;
  readonly order: 'asc' | 'desc';
  readonly missingBucket: boolean;
  readonly missingOrder: 'default' | 'first' | 'last';
  readonly format?: string;
  readonly path: string;
}
/** One part of the key of a `composite` bucket. */
export type CompositeSource =
  | (CompositeSourceBase & { readonly kind: 'terms' })
  | (CompositeSourceBase & { readonly kind: 'histogram'; readonly interval: number })
  | (CompositeSourceBase & {
      readonly kind: 'date_histogram';
      readonly interval: DateInterval;
      readonly timeZone?: string;
      readonly offsetMs: number;
    });
/** Pages through all combinations of its sources, in the order of their keys. */
export interface CompositeAggregation<Q = Query> extends AggregationBase<Q> {
  readonly kind: 'composite';
  readonly sources: readonly CompositeSource[];
  readonly size: number;
  /** One value per source, in the order of the sources. */
  readonly after?: readonly (JsonScalar | null)[];
}
/** Buckets by geohash cell. */
export interface GeohashGridAggregation<Q = Query> extends FieldAggregationBase<Q> {
  readonly kind: 'geohash_grid';
  /** 1..12 characters. */
  readonly precision: number;
  readonly size: number;
  readonly bounds?: { readonly topLeft: Point; readonly bottomRight: Point };
}
/** The metrics whose only option is a field. */
export interface MetricAggregation<Q = Query> extends FieldAggregationBase<Q> {
  readonly kind: 'min' | 'max' | 'avg' | 'sum' | 'stats' | 'value_count';
  readonly format?: string;
}
/** `stats` with sums of squares, variance and deviation bounds at `sigma`. */
export interface ExtendedStatsAggregation<Q = Query> extends FieldAggregationBase<Q> {
  readonly kind: 'extended_stats';
  readonly sigma: number;
  readonly format?: string;
}
/** Number of distinct values. */
export interface CardinalityAggregation<Q = Query> extends FieldAggregationBase<Q> {
  readonly kind: 'cardinality';
  readonly precisionThreshold: number;
}
/** Percentiles, `percents` ascending. */
export interface PercentilesAggregation<Q = Query> extends FieldAggregationBase<Q> {
  readonly kind: 'percentiles';
  readonly percents: readonly number[];
  readonly keyed: boolean;
  readonly format?: string;
}
/** Median of the deviations from the median. */
export interface MedianAbsoluteDeviationAggregation<Q = Query> extends FieldAggregationBase<Q> {
  readonly kind: 'median_absolute_deviation';
  readonly format?: string;
}
/** The best documents of a bucket. */
export interface TopHitsAggregation<Q = Query> extends AggregationBase<Q> {
  readonly kind: 'top_hits';
  readonly from: number;
  readonly size: number;
  readonly sort?: readonly Sort<Q>[];
  readonly source: SourceFilter;
  readonly highlight?: Highlight<Q>;
  readonly version: boolean;
}

/** Bucket aggregations: they may have children. */
export type BucketAggregation<Q = Query> =
  | TermsAggregation<Q>
  | RangeAggregation<Q>
  | DateRangeAggregation<Q>
  | HistogramAggregation<Q>
  | DateHistogramAggregation<Q>
  | FilterAggregation<Q>
  | FiltersAggregation<Q>
  | MissingAggregation<Q>
  | GlobalAggregation<Q>
  | NestedAggregation<Q>
  | ReverseNestedAggregation<Q>
  | CompositeAggregation<Q>
  | GeohashGridAggregation<Q>;

/** An aggregation as parsed. */
export type Aggregation<Q = Query> =
  | BucketAggregation<Q>
  | MetricAggregation<Q>
  | ExtendedStatsAggregation<Q>
  | CardinalityAggregation<Q>
  | PercentilesAggregation<Q>
  | MedianAbsoluteDeviationAggregation<Q>
  | TopHitsAggregation<Q>;
