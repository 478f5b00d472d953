import type { BoundQuery } from './Query.js';

/** The clauses of a query that its matches may match, without clauses that only change scores or exclude. */
export function positiveClauses(query: BoundQuery): readonly BoundQuery[] {
  switch (query.kind) {
    case 'bool':
      return [...query.must, ...query.filter, ...query.should];
    case 'constant_score':
      return [query.filter];
    case 'dis_max':
      return query.queries;
    case 'boosting':
      return [query.positive];
    case 'function_score':
    case 'nested':
      return [query.query];
    default:
      return [];
  }
}
