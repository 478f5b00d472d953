import { expandFields, type Query } from '@millrace/query';
import { compileQuery } from './queries/compileQuery.js';
import { pushBoosts } from './queries/pushBoosts.js';
import { filterMatches, noMatches, type Matches } from './queries/Matches.js';
import type { SearchScope } from './SearchScope.js';

/** The living documents that a query matches. */
export function matchQuery(query: Query, scope: SearchScope, isScored: boolean): Matches {
  const { index } = scope;
  if (index.livingCount === 0) {
    // Still compiled: a query that does not fit the mapping is refused whatever there is to find.
    compileQuery(expandFields(query, index.mapping), scope);
    return noMatches();
  }
  const expanded = expandFields(query, index.mapping);
  const written = isScored ? pushBoosts(expanded) : expanded;
  const matches = compileQuery(written, scope).match(isScored);
  scope.deadline.check();
  if (index.deadCount === 0) return matches;
  const { dead } = index;
  return filterMatches(matches, (slot) => dead[slot] === 0);
}
