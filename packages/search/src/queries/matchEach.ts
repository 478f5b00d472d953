import type { Deadline } from '../Deadline.js';
import type { Matches } from './Matches.js';
import type { QueryNode } from './QueryNode.js';

/** The matches of each clause. @throws TimeIsUp, Cancelled between clauses */
export function matchEach(nodes: readonly QueryNode[], isScored: boolean, deadline: Deadline): readonly Matches[] {
  return nodes.map((node) => {
    deadline.check();
    return node.match(isScored);
  });
}
