import type { SearchRequest } from '@millrace/query';

/** Whether a cursor on this request returns every document, in the order of writing: it needs no search index. */
export function isWholeCollection(request: SearchRequest): boolean {
  const { query, postFilter, sort, aggregations, highlight, minScore, view } = request;
  return (
    query.kind === 'match_all' &&
    query.boost === 1 &&
    postFilter === undefined &&
    sort === undefined &&
    aggregations.length === 0 &&
    highlight === undefined &&
    minScore === undefined &&
    view === undefined
  );
}
