import type { JsonScalar } from '@millrace/language';
import type { Condition } from '../Filter.js';
import type { FieldIndex } from './FieldIndex.js';
import type { Interval } from './Interval.js';
import type { SharedPattern } from './PatternSearches.js';

export type Area = Condition & { readonly kind: `geo${string}` };

/** A leaf as the engine tests it. All kinds share one hidden class, so reading a leaf stays monomorphic. */
export type CompiledLeaf =
  | LeafOf<'equals', JsonScalar>
  | LeafOf<'in', readonly JsonScalar[]>
  | LeafOf<'range', Interval>
  | LeafOf<'exists', undefined>
  | LeafOf<'regexp', SharedPattern>
  | LeafOf<'area', Area>;

interface LeafOf<K extends string, O> {
  readonly kind: K;
  readonly isNegated: boolean;
  readonly field: FieldIndex;
  readonly operand: O;
}

/** Several tests; only leaves are negated. */
export interface CompiledGroup {
  readonly kind: 'and' | 'or';
  readonly isNegated: false;
  readonly field: undefined;
  readonly operand: readonly CompiledTest[];
}

/** A filter, or part of one, in negation normal form without constants. */
export type CompiledTest = CompiledLeaf | CompiledGroup;

/** True for a single condition, false for a group. */
export function isLeaf(test: CompiledTest): test is CompiledLeaf {
  return test.field !== undefined;
}
