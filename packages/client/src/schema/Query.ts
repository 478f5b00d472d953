import type { FieldPath } from './FieldPath.js';

type Scalar = string | number | boolean;

/** What the server keeps for each document: docs/reference/document-metadata.md. */
type MetadataField = '_meta.createdAt' | '_meta.updatedAt' | '_meta.author' | '_meta.updater';

type ByField<T, V> = { readonly [F in FieldPath<T> | MetadataField]?: V };

interface Range {
  readonly gt?: number | string;
  readonly gte?: number | string;
  readonly lt?: number | string;
  readonly lte?: number | string;
  readonly format?: string;
  readonly time_zone?: string;
}

/** Queries of the search language: docs/reference/search.md. Names of fields are checked where the schema knows them. */
export interface Query<T> {
  readonly match_all?: Record<never, never>;
  readonly term?: ByField<T, Scalar | { readonly value: Scalar; readonly boost?: number }>;
  readonly terms?: ByField<T, readonly Scalar[]>;
  readonly range?: ByField<T, Range>;
  readonly match?: ByField<T, Scalar | { readonly query: Scalar; readonly [option: string]: unknown }>;
  readonly match_phrase?: ByField<T, string | { readonly query: string; readonly slop?: number }>;
  readonly prefix?: ByField<T, string | { readonly value: string }>;
  readonly exists?: { readonly field: FieldPath<T> };
  readonly ids?: { readonly values: readonly string[] };
  readonly bool?: {
    readonly must?: Query<T> | readonly Query<T>[];
    readonly filter?: Query<T> | readonly Query<T>[];
    readonly should?: Query<T> | readonly Query<T>[];
    readonly must_not?: Query<T> | readonly Query<T>[];
    readonly minimum_should_match?: number | string;
  };
  /** Any other query. */
  readonly [kind: string]: unknown;
}

/** Filters of subscriptions: docs/reference/filters.md. */
export interface Filter<T> {
  readonly equals?: ByField<T, Scalar>;
  readonly in?: ByField<T, readonly Scalar[]>;
  readonly range?: ByField<T, Pick<Range, 'gt' | 'gte' | 'lt' | 'lte'>>;
  readonly exists?: FieldPath<T> | { readonly field: FieldPath<T> };
  readonly missing?: FieldPath<T> | { readonly field: FieldPath<T> };
  readonly ids?: { readonly values: readonly string[] };
  readonly and?: readonly Filter<T>[];
  readonly or?: readonly Filter<T>[];
  readonly not?: Filter<T>;
  /** Any other condition. */
  readonly [operator: string]: unknown;
}

type Direction = 'asc' | 'desc' | { readonly order?: 'asc' | 'desc'; readonly [option: string]: unknown };

/** One criterion of a sort. */
export type Sort<T> =
  | FieldPath<T>
  | MetadataField
  | '_score'
  | '_id'
  | ByField<T, Direction>
  | { readonly _geo_distance: object }
  | { readonly _score: Direction }
  | { readonly _id: Direction };
