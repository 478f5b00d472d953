import type { Point } from '@millrace/language';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import type { Aggregation, CompositeSource, HistogramBounds, TermsFilter } from './Aggregation.js';
import type { BoundQuery } from './Query.js';

/*
 * Aggregations bound to a mapping: next to each value as given, the value in the indexed form of the field. Numbers are
 * milliseconds for dates, 0 and 1 for booleans.
 */

/** The field of an aggregation. */
export interface BoundToField {
  /** Undefined: it is not mapped. */
  readonly mapped: CompiledField | undefined;
}

/** An aggregation over the values of a field. */
export interface BoundToValues extends BoundToField {
  /** `missing`: a number, a term or a point. Undefined: none was given. */
  readonly missingValue: number | string | Point | undefined;
}

/** A range; open ends are infinite. */
export interface BoundRangeSpan {
  readonly key: string | undefined;
  readonly from: number;
  readonly to: number;
}

/** `include` or `exclude` of `terms`. */
export type BoundTermsFilter =
  /** By the key as it is returned: of strings and booleans as strings, of others as numbers. */
  | { readonly kind: 'values'; readonly keys: ReadonlySet<string | number> }
  | { readonly kind: 'pattern'; readonly accepts: (term: string) => boolean }
  | Extract<TermsFilter, { kind: 'partition' }>;

/** A source of `composite`. */
export type BoundSource = CompositeSource & BoundToField;

/** What binding adds to the kinds that have more than a field and `missing`. */
interface Additions {
  readonly terms: {
    readonly includes: BoundTermsFilter | undefined;
    readonly excludes: BoundTermsFilter | undefined;
  };
  readonly range: { readonly spans: readonly BoundRangeSpan[] };
  readonly date_range: { readonly spans: readonly BoundRangeSpan[] };
  readonly date_histogram: {
    readonly extended: HistogramBounds<number>;
    readonly hard: HistogramBounds<number>;
  };
  readonly composite: {
    readonly sources: readonly BoundSource[];
    /** `after`, by source: a number, a term, or null for a missing value. */
    readonly afterValues: readonly (number | string | null)[] | undefined;
  };
}

interface BoundChildren {
  readonly aggregations: readonly BoundAggregation[];
}

type Added<A> = (A extends { readonly field: string } ? BoundToValues : unknown) &
  (A extends { readonly kind: keyof Additions } ? Additions[A['kind']] : unknown);

type Bound<A> = A extends unknown ? Omit<A, 'aggregations' | 'sources'> & BoundChildren & Added<A> : never;

/** An aggregation of a kind, bound. */
export type BoundAggregation<Kind extends Aggregation['kind'] = Aggregation['kind']> = Extract<
  Bound<Aggregation<BoundQuery>>,
  { readonly kind: Kind }
>;
