import type { JsonScalar, Pattern } from '@millrace/language';
import type { Condition, Filter } from '../Filter.js';
import type { Area, CompiledGroup, CompiledLeaf, CompiledTest } from './CompiledTest.js';
import { isLeaf } from './CompiledTest.js';
import type { FieldIndex } from './FieldIndex.js';
import { toInterval } from './Interval.js';
import { mergeLeaves } from './mergeLeaves.js';
import type { SharedPattern } from './SharedPattern.js';

/**
 * Returns the shared objects that leaves refer to; the caller counts their uses in the result, as some leaves are
 * folded away.
 */
export interface CompileScope {
  /** Each condition on a field may be fulfilled by another value. */
  readonly hasSeveralValues: boolean;
  fieldOf(path: string): FieldIndex;
  patternOf(field: FieldIndex, pattern: Pattern): SharedPattern;
}

/** A filter whose result doesn't depend on the document. */
export type Constant = 'everything' | 'nothing';

/** Evaluation order of conditions: the cheap ones first. */
const RANKS = ['equals', 'exists', 'range', 'in', 'area', 'and', 'or', 'regexp'] as const;
const RANK_OF: ReadonlyMap<string, number> = new Map(RANKS.map((kind, rank) => [kind, rank]));

/**
 * Compiles a filter's tree for matching: negations at the leaves, groups flattened, constants folded, neighbours
 * merged. Linear in the filter, unlike the disjunctive normal form that names its room.
 */
export function compileFilter(filter: Filter, scope: CompileScope): CompiledTest | Constant {
  return compile(filter, false, scope);
}

function compile(filter: Filter, isNegated: boolean, scope: CompileScope): CompiledTest | Constant {
  switch (filter.kind) {
    case 'everything':
    case 'nothing':
      return (filter.kind === 'everything') === isNegated ? 'nothing' : 'everything';
    case 'not':
      return compile(filter.operand, !isNegated, scope);
    case 'and':
    case 'or': {
      const kind = (filter.kind === 'and') === isNegated ? 'or' : 'and';
      return group(kind, filter.operands, isNegated, scope);
    }
    default:
      return compileLeaf(filter, isNegated, scope);
  }
}

function group(
  kind: 'and' | 'or',
  operands: readonly Filter[],
  isNegated: boolean,
  scope: CompileScope,
): CompiledTest | Constant {
  const neutral = kind === 'and' ? 'everything' : 'nothing';
  const flat: CompiledTest[] = [];
  for (let i = 0; i < operands.length; i++) {
    const each = compile(operands[i] as Filter, isNegated, scope);
    if (each === neutral) continue;
    if (each === 'everything' || each === 'nothing') return each;
    if (each.kind === kind) for (const inner of each.operand) flat.push(inner);
    else flat.push(each);
  }
  const merged = kind === 'and' && scope.hasSeveralValues ? flat : mergeLeaves(kind, flat);
  if (typeof merged === 'string') return merged;
  const [only] = merged;
  if (only === undefined) return neutral;
  if (merged.length === 1) return only;
  return toGroup(kind, byRank(merged));
}

/** A group of tests, in evaluation order. */
export function toGroup(kind: 'and' | 'or', operand: readonly CompiledTest[]): CompiledGroup {
  return { kind, isNegated: false, field: undefined, operand };
}

function byRank(tests: readonly CompiledTest[]): readonly CompiledTest[] {
  let isSorted = true;
  let last = 0;
  const ranked: CompiledTest[][] = [];
  for (let i = 0; i < tests.length; i++) {
    const test = tests[i] as CompiledTest;
    const rank = RANK_OF.get(test.kind) ?? 0;
    if (rank < last) isSorted = false;
    last = rank;
    const alike = ranked[rank];
    if (alike === undefined) ranked[rank] = [test];
    else alike.push(test);
  }
  return isSorted ? tests : ranked.flat();
}

function compileLeaf(condition: Condition, isNegated: boolean, scope: CompileScope): CompiledLeaf | Constant {
  const field = scope.fieldOf(condition.field);
  switch (condition.kind) {
    case 'in':
      return valuesLeaf(field, condition.values, isNegated);
    case 'range': {
      const interval = toInterval(condition);
      if (interval !== undefined) return { kind: 'range', isNegated, field, operand: interval };
      return isNegated ? 'everything' : 'nothing';
    }
    case 'exists':
      return { kind: 'exists', isNegated, field, operand: undefined };
    case 'regexp': {
      const operand = scope.patternOf(field, condition.pattern);
      return { kind: 'regexp', isNegated, field, operand };
    }
    case 'geoBoundingBox':
    case 'geoDistance':
    case 'geoPolygon': {
      const operand: Area = condition;
      return { kind: 'area', isNegated, field, operand };
    }
  }
}

/** `equals`, or `in` with several distinct values. */
export function valuesLeaf(field: FieldIndex, given: readonly JsonScalar[], isNegated: boolean): CompiledLeaf {
  const values = given.length === 1 ? given : [...new Set(given)];
  const [only] = values;
  if (values.length === 1 && only !== undefined) {
    return { kind: 'equals', isNegated, field, operand: only };
  }
  return { kind: 'in', isNegated, field, operand: values };
}

export function eachLeaf(test: CompiledTest, visit: (leaf: CompiledLeaf) => void): void {
  if (isLeaf(test)) visit(test);
  else {
    const { operand } = test;
    for (let i = 0; i < operand.length; i++) eachLeaf(operand[i] as CompiledTest, visit);
  }
}
