import type { PatternNode } from './PatternNode.js';

/**
 * An upper bound of the number of ways a backtracking matcher can try a pattern at one position of a string of `length`
 * characters: repetitions multiply, choices add. `Infinity` if a repetition contains a repetition or a choice.
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
