/*
 * The only form of an aggregation that engines execute (SEARCH-50), defaults resolved. Values that depend on the
 * field's type (`missing`, bounds of dates, `after`) stay as given; see `coerceTerm` and `parseDateMath`.
 */
import type { DateInterval, JsonObject, JsonScalar, Point } from '@millrace/language';
import type { Highlight } from './Highlight.js';
import type { Query } from './Query.js';
import type { Sort } from './Sort.js';
import type { SourceFilter } from './SourceFilter.js';

/** Properties of every aggregation. */
export interface AggregationBase {
  readonly name: string;
  /** Echoed in the result. */
  readonly meta?: JsonObject;
  /** Position in the request, for messages: `aggs.tags.terms`. */
  readonly path: string;
  /** Children in the order given; always empty for metrics. */
  readonly aggregations: readonly Aggregation[];
}
/** Properties of aggregations over the values of a field. */
export interface FieldAggregationBase extends AggregationBase {
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
export interface TermsAggregation extends FieldAggregationBase {
  readonly kind: 'terms';
  readonly size: number;
  /** Default `_count` desc; always ends with `_key` asc. */
  readonly order: readonly BucketOrder[];
  readonly minDocCount: number;
  readonly include?: TermsFilter;
  readonly exclude?: TermsFilter;
  readonly format?: string;
}
/** `from` inclusive, `to` exclusive, as given: `coerceRangeBound` and `coerceDateBound` read them. */
export interface BucketRange {
  readonly key?: string;
  readonly from?: JsonScalar;
  readonly to?: JsonScalar;
}
/** Buckets by ranges of numbers or dates; they may overlap. */
export interface RangeAggregation extends FieldAggregationBase {
  readonly kind: 'range';
  readonly ranges: readonly BucketRange[];
  readonly keyed: boolean;
  readonly format?: string;
}
/** Buckets by ranges of dates. */
export interface DateRangeAggregation extends FieldAggregationBase {
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
export interface HistogramAggregation extends FieldAggregationBase {
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
export interface DateHistogramAggregation extends FieldAggregationBase {
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
export interface FilterAggregation extends AggregationBase {
  readonly kind: 'filter';
  readonly filter: Query;
}
/** A bucket per query. */
export interface FiltersAggregation extends AggregationBase {
  readonly kind: 'filters';
  /** False: the buckets are returned as a list and their names are `0`, `1`, … */
  readonly keyed: boolean;
  readonly filters: readonly { readonly key: string; readonly filter: Query }[];
  /** Name of the bucket for documents that match none; absent: no such bucket. */
  readonly otherBucketKey?: string;
}
/** One bucket: documents without a value of the field. */
export interface MissingAggregation extends FieldAggregationBase {
  readonly kind: 'missing';
}
/** One bucket: the whole collection, whatever the query. */
export interface GlobalAggregation extends AggregationBase {
  readonly kind: 'global';
}
/** One bucket: the nested objects of a path. */
export interface NestedAggregation extends AggregationBase {
  readonly kind: 'nested';
  readonly nestedPath: string;
}
/** One bucket: from nested objects back to their parents. */
export interface ReverseNestedAggregation extends AggregationBase {
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
export interface CompositeAggregation extends AggregationBase {
  readonly kind: 'composite';
  readonly sources: readonly CompositeSource[];
  readonly size: number;
  /** One value per source, in the order of the sources. */
  readonly after?: readonly (JsonScalar | null)[];
}
/** Buckets by geohash cell. */
export interface GeohashGridAggregation extends FieldAggregationBase {
  readonly kind: 'geohash_grid';
  /** 1..12 characters. */
  readonly precision: number;
  readonly size: number;
  readonly bounds?: { readonly topLeft: Point; readonly bottomRight: Point };
}
/** The metrics whose only option is a field. */
export interface MetricAggregation extends FieldAggregationBase {
  readonly kind: 'min' | 'max' | 'avg' | 'sum' | 'stats' | 'value_count';
  readonly format?: string;
}
/** `stats` with sums of squares, variance and deviation bounds at `sigma`. */
export interface ExtendedStatsAggregation extends FieldAggregationBase {
  readonly kind: 'extended_stats';
  readonly sigma: number;
  readonly format?: string;
}
/** Number of distinct values. */
export interface CardinalityAggregation extends FieldAggregationBase {
  readonly kind: 'cardinality';
  readonly precisionThreshold: number;
}
/** Percentiles, `percents` ascending. */
export interface PercentilesAggregation extends FieldAggregationBase {
  readonly kind: 'percentiles';
  readonly percents: readonly number[];
  readonly keyed: boolean;
  readonly format?: string;
}
/** Median of the deviations from the median. */
export interface MedianAbsoluteDeviationAggregation extends FieldAggregationBase {
  readonly kind: 'median_absolute_deviation';
  readonly format?: string;
}
/** The best documents of a bucket. */
export interface TopHitsAggregation extends AggregationBase {
  readonly kind: 'top_hits';
  readonly from: number;
  readonly size: number;
  readonly sort?: readonly Sort[];
  readonly source: SourceFilter;
  readonly highlight?: Highlight;
  readonly version: boolean;
}

/** Bucket aggregations: they may have children. */
export type BucketAggregation =
  | TermsAggregation
  | RangeAggregation
  | DateRangeAggregation
  | HistogramAggregation
  | DateHistogramAggregation
  | FilterAggregation
  | FiltersAggregation
  | MissingAggregation
  | GlobalAggregation
  | NestedAggregation
  | ReverseNestedAggregation
  | CompositeAggregation
  | GeohashGridAggregation;

/** An aggregation as parsed. */
export type Aggregation =
  | BucketAggregation
  | MetricAggregation
  | ExtendedStatsAggregation
  | CardinalityAggregation
  | PercentilesAggregation
  | MedianAbsoluteDeviationAggregation
  | TopHitsAggregation;
