import type { SearchScope } from '../SearchScope.js';
import { BoolNode, matchEach, NO_CLAUSES } from './BoolNode.js';
import { scaleScores } from './Matches.js';
import type { QueryNode } from './QueryNode.js';
import { unite } from './setOperations.js';

/** Documents that at least `minimum` of the queries match, with the sum of their scores. */
export function anyOf(nodes: readonly QueryNode[], { index, deadline }: SearchScope, minimum = 1): QueryNode {
  const [only] = nodes;
  if (nodes.length === 1 && only !== undefined) return only;
  return new BoolNode(index, { ...NO_CLAUSES, should: nodes, minimumShouldMatch: minimum }, deadline);
}

/** Documents that all of the queries match, with the sum of their scores. */
export function allOf(nodes: readonly QueryNode[], { index, deadline }: SearchScope): QueryNode {
  const [only] = nodes;
  if (nodes.length === 1 && only !== undefined) return only;
  return new BoolNode(index, { ...NO_CLAUSES, must: nodes }, deadline);
}

/** Documents that any of the queries matches, with the best of their scores and a fraction of the others. */
export function disMax(
  nodes: readonly QueryNode[],
  tieBreaker: number,
  boost: number,
  { index, deadline }: SearchScope,
): QueryNode {
  return {
    estimate: () => nodes.reduce((sum, node) => sum + node.estimate(), 0),
    match: (isScored) => {
      const best = { kind: 'max', tieBreaker } as const;
      const each = matchEach(nodes, isScored, deadline);
      return scaleScores(
        unite(each, index.slotCount, 1, isScored, best, () => deadline.check()),
        boost,
      );
    },
  };
}
