import type { BoundSearch } from '@millrace/query';
import { compileQuery } from './queries/compileQuery.js';
import type { TopMatches } from './queries/QueryNode.js';
import { topOfTerms } from './queries/topOfTerms.js';
import { TextTermNode } from './queries/TextTermNode.js';
import type { SearchScope } from './SearchScope.js';

/** For longer pages, scoring everything is as fast. */
const MAX_LIMIT = 1_000;

/**
 * The hits of a search that reads only the best `limit` by score, if there is a way that is faster than scoring all
 * matches. Else undefined.
 */
export function matchTop(request: BoundSearch, scope: SearchScope, limit: number): TopMatches | undefined {
  const { query, sort, searchAfter, minScore, postFilter, aggregations } = request;
  const looksAtAll =
    sort !== undefined ||
    searchAfter !== undefined ||
    minScore !== undefined ||
    postFilter !== undefined ||
    aggregations.length > 0;
  const { index } = scope;
  if (looksAtAll || limit === 0 || limit > MAX_LIMIT || index.livingCount === 0) return undefined;
  const node = compileQuery(query, scope);
  const top = node instanceof TextTermNode ? topOfTerms([node], index, limit) : node.top?.(limit);
  if (top !== undefined) scope.deadline.check();
  return top;
}
