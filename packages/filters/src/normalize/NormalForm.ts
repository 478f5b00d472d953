import type { AnyCondition } from '../Filter.js';

/** A condition of the normal form. */
export interface NormalLeaf {
  readonly kind: 'leaf';
  /** The values of `in` are sorted and distinct. */
  readonly condition: AnyCondition;
  readonly isNegated: boolean;
  readonly key: string;
  readonly conditionCount: number;
}

/** A conjunction or disjunction. Without parts: *everything* (`and`) or *nothing* (`or`). */
export interface NormalGroup {
  readonly kind: 'and' | 'or';
  /** Sorted by key and distinct; none is a constant or a group of the same kind. */
  readonly parts: readonly NormalForm[];
  readonly key: string;
  readonly conditionCount: number;
}

/** A filter in normal form. `key` is its canonical JSON, `conditionCount` the number of its leaves. */
export type NormalForm = NormalLeaf | NormalGroup;
