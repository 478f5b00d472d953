import type { BoundQuery } from '@millrace/query';
import { compileQuery } from './queries/compileQuery.js';
import { filterMatches, noMatches, type Matches } from './queries/Matches.js';
import { BoolNode, NO_CLAUSES } from './queries/BoolNode.js';
import type { QueryNode } from './queries/QueryNode.js';
import { slotsNode } from './queries/setNode.js';
import type { SearchScope } from './SearchScope.js';
import { isRestricted } from './index/restrictIndex.js';

/** The living documents that a query matches. @param isScored false: the caller doesn't read the scores */
export function matchQuery(query: BoundQuery, scope: SearchScope, isScored: boolean): Matches {
  const { index } = scope;
  if (index.livingCount === 0) return noMatches();
  const node = compileQuery(query, scope);
  const matches = (isRestricted(index) ? within(node, scope) : node).match(isScored);
  scope.deadline.check();
  if (index.deadCount === 0) return matches;
  const { dead } = index;
  return filterMatches(matches, (slot) => dead[slot] === 0);
}

/** The conjunction with the documents of a view, which are often few. */
function within(node: QueryNode, { index, deadline }: SearchScope): QueryNode {
  return new BoolNode(index, { ...NO_CLAUSES, must: [node], filter: [slotsNode(index.living(), 0)] }, deadline);
}
