import type { JsonScalar, Point } from '@millrace/language';
import type { Query } from './Query.js';

/** Which of a document's values it is sorted by. */
export type SortMode = 'min' | 'max' | 'sum' | 'avg' | 'median';

/** The nested objects of a document that provide the sort value. */
export interface NestedSort<Q = Query> {
  readonly path: string;
  readonly filter?: Q;
  readonly nested?: NestedSort<Q>;
}

/** Properties of every criterion. */
export interface SortBase {
  readonly order: 'asc' | 'desc';
  /** Position in the request. */
  readonly path: string;
}
/** By the values of a field. */
export interface FieldSort<Q = Query> extends SortBase {
  readonly kind: 'field';
  readonly field: string;
  /** Default: `min` for asc, `max` for desc. */
  readonly mode: SortMode;
  readonly missing: 'first' | 'last' | { readonly value: JsonScalar };
  /** Type to assume if the field is unmapped (all values missing); absent: 400. */
  readonly unmappedType?: string;
  /** Date format of the values in `sort` of each hit. */
  readonly format?: string;
  readonly numericType?: 'long' | 'double' | 'date' | 'date_nanos';
  readonly nested?: NestedSort<Q>;
}
/** By score. */
export interface ScoreSort extends SortBase {
  readonly kind: 'score';
}
/** In index order. */
export interface DocSort extends SortBase {
  readonly kind: 'doc';
}
/** By `_id`. */
export interface IdSort extends SortBase {
  readonly kind: 'id';
}
/** By distance from a point, or from several points by `mode`. */
export interface GeoDistanceSort<Q = Query> extends SortBase {
  readonly kind: 'geoDistance';
  readonly field: string;
  readonly points: readonly Point[];
  /** Metres per unit of the returned sort values (unit `km`: 1000). */
  readonly metresPerUnit: number;
  readonly mode: 'min' | 'max' | 'avg' | 'median';
  readonly distanceType: 'arc' | 'plane';
  readonly ignoreUnmapped: boolean;
  readonly nested?: NestedSort<Q>;
}

/** One criterion of `sort` (SEARCH-60), defaults resolved. */
export type Sort<Q = Query> = FieldSort<Q> | ScoreSort | DocSort | IdSort | GeoDistanceSort<Q>;
