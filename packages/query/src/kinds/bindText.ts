/* The parts of bound text queries. */
import { type JsonScalar, type TokenList, wordsOf } from '@millrace/language';
import { analyzerOf } from '../analysis/analyzerOf.js';
import { matchNone } from '../bind/matchNone.js';
import type { QueryBinder } from '../bind/QueryBinder.js';
import { coerceHeldTerm } from '../coerce/coerceHeldTerm.js';
import { QueryError } from '../errors.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import type { BoundTerm, MatchAllQuery, MatchNoneQuery, QueryBase, TextQueryBase } from '../tree/Query.js';

export function wordsFor(
  field: CompiledField,
  { query, analyzer }: Pick<TextQueryBase, 'query' | 'analyzer'>,
  ownAnalyzer: string,
): TokenList {
  return wordsOf(analyzerOf(field, analyzer ?? ownAnalyzer), String(query));
}

export function emptyText(
  query: QueryBase & { readonly zeroTermsQuery: 'none' | 'all' },
): MatchAllQuery | MatchNoneQuery {
  const none = matchNone(query);
  return query.zeroTermsQuery === 'all' ? { ...none, kind: 'match_all' } : none;
}

/** One value of a field; nothing if the field can't have it and the query is lenient. */
export function valueQuery(
  mapped: CompiledField,
  value: JsonScalar,
  query: TextQueryBase & { readonly lenient: boolean },
  binder: QueryBinder,
): BoundTerm | MatchNoneQuery {
  const { field, boost, path, lenient } = query;
  try {
    const term = coerceHeldTerm(mapped, value, path, binder.binding.nowMs);
    return { kind: 'term', field, value, caseInsensitive: false, boost, path, mapped, term };
  } catch (error) {
    if (lenient && error instanceof QueryError) return matchNone(query);
    throw error;
  }
}
