import type { JsonScalar } from '@millrace/language';
import { isLeaf, type CompiledTest } from './CompiledTest.js';
import { valuesLeaf } from './compileFilter.js';
import type { FieldIndex } from './FieldIndex.js';
import type { Interval } from './Interval.js';

/**
 * Merges leaves on one field: the ranges of a conjunction into their intersection, the values of a disjunction into one
 * list. The result is one access path and one test.
 * @returns 'nothing' if ranges of a conjunction don't overlap
 */
export function mergeLeaves(kind: 'and' | 'or', tests: readonly CompiledTest[]): readonly CompiledTest[] | 'nothing' {
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
