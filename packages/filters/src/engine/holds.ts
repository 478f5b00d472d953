import type { JsonValue } from '@millrace/language';
import type { CompiledLeaf, CompiledTest } from './CompiledTest.js';
import { isInArea } from '../isInArea.js';
import type { MatchRun } from './MatchRun.js';

/** True if a test holds for the document of a run. The nesting limit bounds the depth. */
export function holds(test: CompiledTest, run: MatchRun): boolean {
  switch (test.kind) {
    case 'and': {
      const { operand } = test;
      for (let i = 0; i < operand.length; i++) {
        if (!holds(operand[i] as CompiledTest, run)) return false;
      }
      return true;
    }
    case 'or': {
      const { operand } = test;
      for (let i = 0; i < operand.length; i++) {
        if (holds(operand[i] as CompiledTest, run)) return true;
      }
      return false;
    }
    default:
      return (leafHolds(test, run) || moreHolds(test, run)) !== test.isNegated;
  }
}

/** Ignores the negation. */
function leafHolds(leaf: CompiledLeaf, run: MatchRun): boolean {
  const value = leaf.field.valueIn(run);
  return value !== undefined && isFulfilledBy(leaf, value, run);
}

function isFulfilledBy(leaf: CompiledLeaf, value: JsonValue, { generation }: MatchRun): boolean {
  switch (leaf.kind) {
    case 'equals':
      return value === leaf.operand;
    case 'in':
      return typeof value !== 'object' && leaf.operand.includes(value);
    case 'range':
      return typeof value === 'number' && value >= leaf.operand.low && value <= leaf.operand.high;
    case 'exists':
      return true;
    case 'regexp':
      return typeof value === 'string' && leaf.operand.isFoundIn(value, generation);
    case 'area': {
      const point = leaf.field.pointOf(value, generation);
      return point !== undefined && isInArea(leaf.operand, point);
    }
  }
}

/** Whether one of the values after the first fulfils a condition. Call it after `leafHolds`. */
function moreHolds(leaf: CompiledLeaf, run: MatchRun): boolean {
  const { more } = leaf.field;
  if (more === undefined || leaf.field.valueIn(run) === undefined) return false;
  switch (leaf.kind) {
    case 'equals':
      return leaf.field.isInMore(leaf.operand);
    case 'in':
      return leaf.operand.some((value) => leaf.field.isInMore(value));
    default:
      return more.some((each) => isFulfilledBy(leaf, each, run));
  }
}
