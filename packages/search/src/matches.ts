import { whyUndecidable, type BoundQuery } from '@millrace/query';
import type { DocumentScope } from './documentScope.js';
import { matchQuery } from './matchQuery.js';
import { Refusal } from './Refusal.js';

/**
 * Whether a query finds a document, decided by the executor of searches: the result is that of the query as a filter in
 * a search over a collection that contains the document. It has no time limit: refuse queries with `excess` (see
 * `bindQuery`) where that matters.
 * @param query bound to the mapping of the scope. Fields that this mapping lacks match nothing, so bind the query again
 * after documents have added fields.
 * @throws Refusal if `whyUndecidable` gives a reason, or if a score function doesn't fit the type of its field
 */
export function matches(query: BoundQuery, scope: DocumentScope): boolean {
  const reason = whyUndecidable(query);
  if (reason !== null) throw new Refusal(reason);
  return matchQuery(query, scope, false).slots.length > 0;
}
