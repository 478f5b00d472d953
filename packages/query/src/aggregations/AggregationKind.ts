import type { Binding } from '../kinds/Binding.js';
import type { BucketCounts } from '../cost/measureWork.js';
import type { Options } from '../parse/Options.js';
import type { QueryParser } from '../parse/QueryParser.js';
import type { Aggregation, AggregationBase } from '../tree/Aggregation.js';
import type { BoundAggregation } from '../tree/BoundAggregation.js';

/** An aggregation of one kind. */
export type OfKind<Kind extends Aggregation['kind'], A = Aggregation> = A & { readonly kind: Kind };

type WithoutChildren<T> = T extends unknown ? Omit<T, 'aggregations'> : never;

/** The context in which an aggregation is bound. */
export interface AggregationPlace {
  readonly binding: Binding;
  /** Number of enclosing `nested` aggregations. */
  readonly nestedDepth: number;
  /** The nested field whose objects are aggregated. */
  readonly nestedPath: string | undefined;
}

/** All that differs between kinds of aggregations, except how engines compute them. */
export interface AggregationKind<Kind extends Aggregation['kind']> {
  readonly parse: (options: Options, base: AggregationBase, queries: QueryParser) => OfKind<Kind>;
  /** Binds it without its children. @throws QueryError if it doesn't fit the mapping */
  readonly bind: (aggregation: OfKind<Kind>, place: AggregationPlace) => WithoutChildren<BoundAggregation>;
  /** The results of its children are in each of its buckets, or in its result, which is one bucket; null: it has none. */
  readonly children: 'in buckets' | 'in result' | null;
  readonly counts: (aggregation: OfKind<Kind>) => BucketCounts;
  /** Whether `order` may name a value of its result; undefined: the result as a whole. Absent: no. */
  readonly hasValue?: (aggregation: OfKind<Kind>, name: string | undefined) => boolean;
  /** See the function of this name; of the aggregation without its children. Absent: it can't be counted. */
  readonly whyNotCounted?: (aggregation: OfKind<Kind, BoundAggregation>) => string | null;
}

/** The definitions of some kinds. */
export type AggregationKinds<Kind extends Aggregation['kind']> = { readonly [K in Kind]: AggregationKind<K> };

/** Assumed number of values per document in a multi-valued field. */
export const SUPPOSED_VALUES = 20;

/** A metric of ordinary cost. */
export const METRIC = { children: null, counts: () => ({ buckets: 1, placements: 1, certain: 0 }) } as const;
/** A kind with one bucket. */
export const ONE_BUCKET = {
  children: 'in result',
  counts: () => ({ buckets: 1, placements: 1, certain: 1 }),
} as const;
