import type { JsonScalar, Pattern, Point } from '@millrace/language';
import type { Box } from './isInArea.js';

/** One bound of a range. */
export interface Bound {
  readonly value: number;
  readonly isInclusive: boolean;
}

/**
 * A leaf: two-valued, false on an absent field (FILTER-10). Aliases, `equals`, `ids` and `missing`
 * are rewritten by the parser.
 */
export type Condition =
  | { readonly kind: 'in'; readonly field: string; readonly values: readonly JsonScalar[] }
  | {
      readonly kind: 'range';
      readonly field: string;
      readonly lower?: Bound;
      readonly upper?: Bound;
    }
  | { readonly kind: 'exists'; readonly field: string }
  | { readonly kind: 'regexp'; readonly field: string; readonly pattern: Pattern }
  | { readonly kind: 'geoBoundingBox'; readonly field: string; readonly box: Box }
  | {
      /** Matches distances from `fromMetres` (0 for a disc) to `toMetres`, both inclusive. */
      readonly kind: 'geoDistance';
      readonly field: string;
      readonly centre: Point;
      readonly toMetres: number;
      readonly fromMetres?: number;
    }
  | { readonly kind: 'geoPolygon'; readonly field: string; readonly points: readonly Point[] };

/** The path of another field of the same document, `{$ref: path}`. */
export interface Reference {
  readonly path: string;
}

/**
 * A leaf that compares with the values of other fields; allowed in role conditions only. False if one of these values
 * is absent or not a scalar, even if another value would match.
 */
export interface ReferenceCondition {
  readonly kind: 'reference';
  readonly field: string;
  /** Bounds have one value. */
  readonly operator: 'in' | 'gt' | 'gte' | 'lt' | 'lte';
  readonly values: readonly (JsonScalar | Reference)[];
}

/** A leaf of a filter: a condition on a value, or on a reference of a role. */
export type AnyCondition = Condition | ReferenceCondition;

/** A checked filter. Operands keep the order of the request. */
export type Filter<Leaf extends AnyCondition = Condition> =
  | { readonly kind: 'everything' }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Filter<Leaf>[] }
  | { readonly kind: 'not'; readonly operand: Filter<Leaf> }
  | Leaf;
