/*
 * All checks of a request that depend on the mapping. They run before the engine, so both engines refuse the same
 * requests. An unmapped field matches nothing and is not an error, except in a sort.
 */
import type { CompiledMapping } from '../mapping/CompiledMapping.js';
import type { Query } from '../tree/Query.js';
import type { SearchRequest } from '../tree/SearchRequest.js';
import { AggregationChecker } from './AggregationChecker.js';
import { checkSearchAfter } from './checkSortValue.js';
import { QueryChecker } from './QueryChecker.js';
import { SortChecker } from './SortChecker.js';

/**
 * Checks a whole request.
 * @param nowMs the request's `now`
 * @throws QueryError
 */
export function checkAgainstMapping(
  request: SearchRequest,
  compiled: CompiledMapping,
  nowMs = 0,
): void {
  const { queries, sorts, aggregations } = openCheckers(compiled, nowMs);
  queries.check(request.query);
  if (request.postFilter !== undefined) queries.check(request.postFilter);
  for (const sort of request.sort ?? []) sorts.check(sort, true);
  request.searchAfter?.forEach((value, at) => {
    const sort = request.sort?.[at];
    if (sort !== undefined)
      checkSearchAfter(sort, value, compiled, { path: `search_after[${at}]`, nowMs });
  });
  for (const aggregation of request.aggregations) aggregations.check(aggregation);
  for (const { highlightQuery } of request.highlight?.fields ?? []) {
    if (highlightQuery !== undefined) queries.check(highlightQuery);
  }
}

/** Checks one query (`count`, `deleteByQuery`). @throws QueryError */
export function checkQueryAgainstMapping(query: Query, compiled: CompiledMapping, nowMs = 0): void {
  openCheckers(compiled, nowMs).queries.check(query);
}

/** Queries contain sorts, and sorts contain queries. */
function openCheckers(compiled: CompiledMapping, nowMs: number) {
  const queries: QueryChecker = new QueryChecker(compiled, nowMs, (sort) => sorts.check(sort));
  const sorts = new SortChecker(compiled, (query, nestedPath) => queries.check(query, nestedPath));
  const aggregations = new AggregationChecker(compiled, nowMs, queries, sorts);
  return { queries, sorts, aggregations };
}
