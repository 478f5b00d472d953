import type { BoundQuery } from '@millrace/query';
import { compileQuery } from './queries/compileQuery.js';
import { filterMatches, noMatches, type Matches } from './queries/Matches.js';
import type { SearchScope } from './SearchScope.js';

/** The living documents that a query matches. @param isScored false: the caller doesn't read the scores */
export function matchQuery(query: BoundQuery, scope: SearchScope, isScored: boolean): Matches {
  const { index } = scope;
  if (index.livingCount === 0) return noMatches();
  const matches = compileQuery(query, scope).match(isScored);
  scope.deadline.check();
  if (index.deadCount === 0) return matches;
  const { dead } = index;
  return filterMatches(matches, (slot) => dead[slot] === 0);
}
