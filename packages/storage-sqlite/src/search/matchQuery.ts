import { expandFields, type Query } from '@millrace/query';
import { compileQuery } from './queries/compileQuery.js';
import { pushBoosts, type QueryUse } from './queries/pushBoosts.js';
import { filterMatches, noMatches, type Matches } from './queries/Matches.js';
import type { SearchScope } from './SearchScope.js';

/** The living documents that a query matches. */
export function matchQuery(query: Query, scope: SearchScope, use: QueryUse): Matches {
  const { index } = scope;
  const expanded = expandFields(query, index.mapping, index.nestedPath);
  if (index.livingCount === 0) {
    // Still compiled: a query that does not fit the mapping is refused whatever there is to find.
    compileQuery(expanded, scope);
    return noMatches();
  }
  const written = pushBoosts(expanded, use);
  const matches = compileQuery(written, scope).match(use === 'scores');
  scope.deadline.check();
  if (index.deadCount === 0) return matches;
  const { dead } = index;
  return filterMatches(matches, (slot) => dead[slot] === 0);
}
