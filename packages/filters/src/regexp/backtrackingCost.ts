import type { PatternNode } from './PatternNode.js';

/**
 * An upper bound of the ways in which a backtracking matcher can try a pattern at one place of a text of `length`
 * characters: repetitions multiply, choices add. `Infinity` where a repetition holds a repetition or a choice.
 */
export function backtrackingCost(node: PatternNode, length: number): number {
  switch (node.kind) {
    case 'character':
    case 'assertion':
    case 'text':
      return 1;
    case 'sequence':
      return node.parts.reduce((ways, part) => ways * backtrackingCost(part, length), 1);
    case 'choice':
      return node.parts.reduce((ways, part) => ways + backtrackingCost(part, length), 0);
    case 'repetition': {
      if (node.min === node.max && node.max <= 1) return backtrackingCost(node.part, length);
      if (node.part.kind !== 'character') return Infinity;
      return Math.min(node.max, length) - Math.min(node.min, length) + 1;
    }
  }
}
