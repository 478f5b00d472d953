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
      return leafHolds(test, run) !== test.isNegated;
  }
}

/** Ignores the negation. */
function leafHolds(leaf: CompiledLeaf, run: MatchRun): boolean {
  const value = leaf.field.valueIn(run);
  if (value === undefined) return false;
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
      return typeof value === 'string' && leaf.operand.isFoundIn(value, run.generation);
    case 'area': {
      const point = leaf.field.pointOf(value, run.generation);
      return point !== undefined && isInArea(leaf.operand, point);
    }
  }
}
