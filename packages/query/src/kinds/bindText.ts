import { wordsOf, type TokenList, type JsonScalar } from '@millrace/language';
import { analyzerOf } from '../mapping/analyzerOf.js';
import type { QueryBinder } from './QueryBinder.js';
import { matchNone } from './matchNone.js';
import { coerceHeldTerm } from '../coerce/coerceTerm.js';
import { QueryError } from '../errors.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import type {
  BoundTerm,
  MatchAllQuery,
  MatchNoneQuery,
  QueryBase,
  TextQueryBase,
  MatchBoolPrefixQuery,
  MatchPhraseQuery,
  MatchQuery,
} from '../tree/Query.js';

/** The terms at one position. */
export interface TermsAt {
  readonly position: number;
  readonly terms: readonly string[];
}

/** Groups terms by their positions, ascending: several terms at one position are the n-grams of a word. */
export function byPosition({ terms, positions }: Pick<TokenList, 'terms' | 'positions'>): readonly TermsAt[] {
  const groups: { readonly position: number; readonly terms: string[] }[] = [];
  for (const [i, term] of terms.entries()) {
    const position = positions[i] as number;
    const last = groups.at(-1);
    if (last?.position === position) last.terms.push(term);
    else groups.push({ position, terms: [term] });
  }
  return groups;
}

/* The parts of bound text queries. */

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

type ValueQuery = Pick<MatchQuery | MatchBoolPrefixQuery | MatchPhraseQuery, 'analyzer' | 'lenient'> & {
  readonly kind: string;
  readonly fuzziness?: unknown;
};

/**
 * Whether a `match` or `match_phrase` compares the value as `term` does: a number stays a number, which a date field
 * reads as milliseconds whatever its format. Otherwise the value is compared as a string.
 */
export function isPlainValue(field: Pick<CompiledField, 'type'>, query: ValueQuery): boolean {
  const { kind, analyzer, lenient, fuzziness } = query;
  return (
    (kind === 'match' || kind === 'match_phrase') &&
    field.type !== 'text' &&
    (analyzer === undefined || analyzer === 'keyword') &&
    !lenient &&
    fuzziness === undefined
  );
}
