import { positiveClauses, type BoundQuery } from '@millrace/query';

/**
 * Why a query can't be decided on one document alone; null if it can. Two things depend on the other documents of the
 * collection: how many similar terms `max_expansions` leaves out (`fuzzy`, `fuzziness`, `match_phrase_prefix`), and
 * scores, which only `min_score` of a `function_score` turns into matches. `prefix`, `wildcard`, `regexp` and
 * `match_bool_prefix` find every term, without a limit.
 */
export function whyUndecidable(query: BoundQuery): string | null {
  switch (query.kind) {
    case 'fuzzy':
      return limitedTerms('fuzzy', query);
    case 'match':
    case 'match_bool_prefix':
      return query.fuzziness === undefined ? null : limitedTerms('fuzziness', query);
    case 'match_phrase_prefix':
      return limitedTerms('match_phrase_prefix', query);
    case 'function_score':
      if (query.minScore === undefined) return whyUndecidable(query.query);
      return `min_score at ${query.path} can't be decided on one document: scores depend on the other documents`;
    case 'bool':
      return firstReason([...positiveClauses(query), ...query.mustNot]);
    default:
      return firstReason(positiveClauses(query));
  }
}

function firstReason(queries: readonly BoundQuery[]): string | null {
  for (const query of queries) {
    const reason = whyUndecidable(query);
    if (reason !== null) return reason;
  }
  return null;
}

function limitedTerms(option: string, { path }: BoundQuery): string {
  return `${option} at ${path} can't be decided on one document: max_expansions counts the terms of all documents`;
}
