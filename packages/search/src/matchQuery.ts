import { expandFields, type Query } from '@millrace/query';
import { compileQuery } from './queries/compileQuery.js';
import { filterMatches, noMatches, type Matches } from './queries/Matches.js';
import type { SearchScope } from './SearchScope.js';

/** The living documents that a query matches. @param isScored false: the caller doesn't read the scores */
export function matchQuery(query: Query, scope: SearchScope, isScored: boolean): Matches {
  const { index } = scope;
  const expanded = expandFields(query, index.mapping, index.nestedPath);
  if (index.livingCount === 0) {
    // Always compiled: a query that doesn't fit the mapping is refused in an empty collection too.
    compileQuery(expanded, scope);
    return noMatches();
  }
  const matches = compileQuery(expanded, scope).match(isScored);
  scope.deadline.check();
  if (index.deadCount === 0) return matches;
  const { dead } = index;
  return filterMatches(matches, (slot) => dead[slot] === 0);
}
