import type { ExpandedQuery, Query } from '@millrace/query';

/**
 * A query whose compound parts have the boost 1 and their parts the boost instead. Lucene hands boosts down: where a
 * function_score does more than multiply, its query is boosted and its functions are not.
 */
export function pushBoosts(query: ExpandedQuery): ExpandedQuery {
  return hasFunctions(query) ? (pushed(query, 1) as ExpandedQuery) : query;
}

function hasFunctions(query: Query): boolean {
  return query.kind === 'function_score' || partsOf(query).some(hasFunctions);
}

function partsOf(query: Query): readonly Query[] {
  switch (query.kind) {
    case 'bool':
      return [...query.must, ...query.should];
    case 'dis_max':
      return query.queries;
    case 'boosting':
      return [query.positive];
    case 'nested':
    case 'function_score':
      return [query.query];
    default:
      return [];
  }
}

function pushed(query: Query, outer: number): Query {
  // Lucene has no scores computed that come to nothing.
  if (query.boost === 0 && hasFunctions(query)) {
    const { path } = query;
    return { kind: 'constant_score', filter: pushed({ ...query, boost: 1 }, 1), boost: 0, path };
  }
  const boost = query.boost * outer;
  const all = (parts: readonly Query[]) => parts.map((part) => pushed(part, boost));
  switch (query.kind) {
    case 'bool':
      return { ...query, must: all(query.must), should: all(query.should), boost: 1 };
    case 'dis_max':
      return { ...query, queries: all(query.queries), boost: 1 };
    case 'boosting':
      return { ...query, positive: pushed(query.positive, boost), boost: 1 };
    case 'nested':
    case 'function_score':
      return { ...query, query: pushed(query.query, boost), boost: 1 };
    default:
      return { ...query, boost };
  }
}
