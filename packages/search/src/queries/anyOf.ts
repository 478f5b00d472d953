import type { SearchScope } from '../SearchScope.js';
import { BoolNode } from './BoolNode.js';
import type { QueryNode } from './QueryNode.js';

const NONE: readonly QueryNode[] = [];

/** Documents that at least `minimum` of the queries match, with the sum of their scores. */
export function anyOf(nodes: readonly QueryNode[], scope: SearchScope, minimum = 1): QueryNode {
  const [only] = nodes;
  if (nodes.length === 1 && only !== undefined) return only;
  const clauses = {
    must: NONE,
    filter: NONE,
    should: nodes,
    mustNot: NONE,
    minimumShouldMatch: minimum,
    boost: 1,
  };
  return new BoolNode(scope.index, clauses, scope.deadline);
}

/** Documents that all of the queries match, with the sum of their scores. */
export function allOf(nodes: readonly QueryNode[], scope: SearchScope): QueryNode {
  const [only] = nodes;
  if (nodes.length === 1 && only !== undefined) return only;
  const clauses = {
    must: nodes,
    filter: NONE,
    should: NONE,
    mustNot: NONE,
    minimumShouldMatch: 0,
    boost: 1,
  };
  return new BoolNode(scope.index, clauses, scope.deadline);
}
