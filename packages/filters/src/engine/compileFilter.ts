import type { JsonScalar, Pattern } from '@millrace/language';
import type { Condition, Filter } from '../Filter.js';
import { isLeaf, type Area, type CompiledGroup, type CompiledLeaf, type CompiledTest } from './CompiledTest.js';
import type { FieldIndex } from './FieldIndex.js';
import { toInterval, type Interval } from './Interval.js';
import type { SharedPattern } from './PatternSearches.js';

/**
 * Returns the shared objects that leaves refer to; the caller counts their uses in the result, as some leaves are
 * folded away.
 */
interface CompileScope {
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
function valuesLeaf(field: FieldIndex, given: readonly JsonScalar[], isNegated: boolean): CompiledLeaf {
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

/**
 * Merges leaves on one field: the ranges of a conjunction into their intersection, the values of a disjunction into one
 * list. The result is one access path and one test.
 * @returns 'nothing' if ranges of a conjunction don't overlap
 */
function mergeLeaves(kind: 'and' | 'or', tests: readonly CompiledTest[]): readonly CompiledTest[] | 'nothing' {
  if (tests.length < 2) return tests;
  return kind === 'and' ? intersectRanges(tests) : uniteValues(tests);
}

function intersectRanges(tests: readonly CompiledTest[]): readonly CompiledTest[] | 'nothing' {
  const intervals = new Map<FieldIndex, Interval>();
  let rangeCount = 0;
  for (const test of tests) {
    if (test.kind !== 'range' || test.isNegated) continue;
    rangeCount++;
    const known = intervals.get(test.field);
    const low = Math.max(known?.low ?? -Infinity, test.operand.low);
    const high = Math.min(known?.high ?? Infinity, test.operand.high);
    if (low > high) return 'nothing';
    intervals.set(test.field, { low, high });
  }
  if (rangeCount === intervals.size) return tests;
  const others = tests.filter((test) => test.kind !== 'range' || test.isNegated);
  for (const [field, operand] of intervals) {
    others.push({ kind: 'range', isNegated: false, field, operand });
  }
  return others;
}

function uniteValues(tests: readonly CompiledTest[]): readonly CompiledTest[] {
  const values = new Map<FieldIndex, JsonScalar[]>();
  let listCount = 0;
  for (const test of tests) {
    if (!isLeaf(test) || test.isNegated) continue;
    if (test.kind !== 'equals' && test.kind !== 'in') continue;
    listCount++;
    const known = values.get(test.field) ?? [];
    values.set(test.field, known);
    if (test.kind === 'equals') known.push(test.operand);
    else for (const value of test.operand) known.push(value);
  }
  if (listCount === values.size) return tests;
  const others = tests.filter((test) => (test.kind !== 'equals' && test.kind !== 'in') || test.isNegated);
  for (const [field, list] of values) others.push(valuesLeaf(field, list, false));
  return others;
}
