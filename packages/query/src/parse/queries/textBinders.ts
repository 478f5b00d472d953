/*
 * Binds the queries that analyse their text. On a field of type text the bound query has the words. On any other field
 * each word is a value, so the query is bound as `term`, `prefix` and `fuzzy` queries joined by `bool`.
 */
import { type JsonScalar, TokenList, lowerCase, wordsOf } from '@millrace/language';
import { byPosition, type TermsAt } from '../../bind/byPosition.js';
import { isPlainValue } from '../../bind/isPlainValue.js';
import { matchNone } from '../../bind/matchNone.js';
import type { QueryBinder } from '../../bind/QueryBinder.js';
import { coerceHeldTerm } from '../../coerce/coerceHeldTerm.js';
import { invalid, QueryError } from '../../errors.js';
import type { CompiledField } from '../../mapping/CompiledMapping.js';
import { isShownAt } from '../../mapping/isShownAt.js';
import { quote } from '../../show.js';
import type * as tree from '../../tree/Query.js';
import { MAX_CLAUSE_COUNT } from '../QueryParser.js';
import { resolveMinimumShouldMatch } from '../parseMinimumShouldMatch.js';
import type { Binders } from '../queryBinders.js';
import { bindFuzzy } from './patternQueries.js';
import { analyzerOf } from '../../analysis/analyzerOf.js';

export const TEXT_BINDERS: Binders<
  'match' | 'match_phrase' | 'match_phrase_prefix' | 'match_bool_prefix' | 'cross_fields'
> = {
  match(query, binder) {
    const mapped = binder.searchedField(query.field, query.path);
    if (mapped === undefined) return matchNone(query);
    if (isPlainValue(mapped, query)) return valueQuery(mapped, query.query, query, binder);
    if (mapped.type !== 'text') return valueQueries(mapped, query, false, binder);
    const words = byPosition(wordsFor(mapped, query, mapped.searchAnalyzer));
    assertCount(words, query);
    return words.length === 0 ? emptyText(query) : { ...query, mapped, words };
  },
  match_bool_prefix(query, binder) {
    const mapped = binder.searchedField(query.field, query.path);
    if (mapped === undefined) return matchNone(query);
    const tokens = new EndTokens();
    const text = String(query.query);
    const { analyzer } = query;
    if (mapped.type === 'text' || analyzer !== undefined)
      analyzerOf(mapped, analyzer ?? mapped.searchAnalyzer).analyze(text, tokens, 0);
    // A character after the last word, such as a blank, completes it.
    const endsInPrefix = tokens.lastEnd === text.length;
    if (mapped.type !== 'text') {
      const isPrefix = analyzer === undefined ? mapped.type === 'keyword' : endsInPrefix;
      return valueQueries(mapped, query, isPrefix, binder);
    }
    const words = byPosition(tokens);
    return words.length === 0 ? emptyText(query) : { ...query, mapped, words, endsInPrefix };
  },
  match_phrase(query, binder) {
    const mapped = binder.searchedField(query.field, query.path);
    if (mapped === undefined) return matchNone(query);
    if (isPlainValue(mapped, query)) return valueQuery(mapped, query.query, query, binder);
    const words = phraseOf(mapped, query);
    const [first, second] = words;
    if (first === undefined) return emptyText(query);
    if (mapped.type === 'text') return { ...query, mapped, words };
    // Fields of other types have no positions, so they can't match several words in order.
    const [only, other] = first.terms;
    if (only === undefined || other !== undefined || second !== undefined) return matchNone(query);
    return valueQuery(mapped, only, query, binder);
  },
  match_phrase_prefix(query, binder) {
    const mapped = binder.searchedField(query.field, query.path);
    if (mapped === undefined) return matchNone(query);
    const words = phraseOf(mapped, query);
    if (words.length === 0) return emptyText(query);
    return mapped.type === 'text' ? { ...query, mapped, words } : matchNone(query);
  },
  cross_fields: bindCrossFields,
};

/** Tokens with the end of the last one. */
class EndTokens extends TokenList {
  lastEnd = -1;

  override add(term: string, position: number, start: number, end: number): void {
    super.add(term, position, start, end);
    this.lastEnd = end;
  }
}

type WordsQuery = tree.MatchQuery | tree.MatchBoolPrefixQuery;
type PhraseQuery = tree.MatchPhraseQuery | tree.MatchPhrasePrefixQuery;

function wordsFor(
  field: CompiledField,
  { query, analyzer }: Pick<tree.TextQueryBase, 'query' | 'analyzer'>,
  ownAnalyzer: string,
): TokenList {
  return wordsOf(analyzerOf(field, analyzer ?? ownAnalyzer), String(query));
}

/** Each word is a clause, and a query has at most 1,024 clauses. */
function assertCount(words: readonly TermsAt[], { field, path }: WordsQuery): void {
  const count = words.reduce((sum, { terms }) => sum + terms.length, 0);
  if (count <= MAX_CLAUSE_COUNT) return;
  throw invalid(
    path,
    `The text for ${quote(field)} has ${count} tokens, expected at most ${MAX_CLAUSE_COUNT} (at ${path})`,
  );
}

function emptyText(
  query: tree.QueryBase & { readonly zeroTermsQuery: 'none' | 'all' },
): tree.MatchAllQuery | tree.MatchNoneQuery {
  const none = matchNone(query);
  return query.zeroTermsQuery === 'all' ? { ...none, kind: 'match_all' } : none;
}

/**
 * The words of a phrase. Phrases of several words need a field with positions; prefixes of words need a field of type
 * text. A lenient query matches nothing there instead.
 * @throws QueryError
 */
function phraseOf(field: CompiledField, query: PhraseQuery): readonly TermsAt[] {
  const { kind, path, analyzer, lenient } = query;
  const isText = field.type === 'text';
  const words = byPosition(wordsFor(field, query, isText ? field.searchQuoteAnalyzer : 'keyword'));
  if (lenient || (isText && field.hasPositions)) return words;
  if (!isText && kind === 'match_phrase_prefix' && (words.length > 0 || analyzer === undefined)) {
    throw invalid(path, `match_phrase_prefix at ${path} needs a text field; ${quote(field.name)} is ${field.type}`);
  }
  if (words.length > 1) {
    throw invalid(
      path,
      `${kind} of several words at ${path} needs a field with positions; ${quote(field.name)} keeps none`,
    );
  }
  return words;
}

/** One value of a field; nothing if the field can't have it and the query is lenient. */
function valueQuery(
  mapped: CompiledField,
  value: JsonScalar,
  query: tree.TextQueryBase & { readonly lenient: boolean },
  binder: QueryBinder,
): tree.BoundTerm | tree.MatchNoneQuery {
  const { field, boost, path, lenient } = query;
  try {
    const term = coerceHeldTerm(mapped, value, path, binder.binding.nowMs);
    return { kind: 'term', field, value, caseInsensitive: false, boost, path, mapped, term };
  } catch (error) {
    if (lenient && error instanceof QueryError) return matchNone(query);
    throw error;
  }
}

/** The words of a string as values of a field that is not of type text. */
function valueQueries(
  mapped: CompiledField,
  query: WordsQuery,
  endsInPrefix: boolean,
  binder: QueryBinder,
): tree.BoundQuery {
  const { analyzer, boost, path, fuzziness, lenient } = query;
  if (fuzziness !== undefined && mapped.type !== 'keyword' && !lenient) {
    throw invalid(path, `fuzziness at ${path} needs a text or keyword field; ${quote(mapped.name)} is ${mapped.type}`);
  }
  const words =
    analyzer === undefined
      ? [{ position: 0, terms: [String(query.query)] }]
      : byPosition(wordsFor(mapped, query, analyzer));
  if (query.kind === 'match') assertCount(words, query);
  const { fuzziness: _, ...exact } = query;
  const bound = words.map(({ terms }, i): tree.BoundQuery => {
    const [only] = terms;
    // Several terms at one position are searched without fuzziness.
    if (only === undefined || terms.length > 1) {
      const should = terms.map((term) => wordQuery(mapped, term, exact as WordsQuery, binder));
      return joined(should, 1, path);
    }
    return endsInPrefix && i === words.length - 1
      ? prefixQuery(mapped, only, query)
      : wordQuery(mapped, only, query, binder);
  });
  const [only] = bound;
  if (only === undefined) return emptyText(query);
  if (bound.length === 1) return only;
  if (query.operator === 'and') return joined(bound, bound.length, path);
  const { minimumShouldMatch: given } = query;
  const minimum = given === undefined ? 1 : resolveMinimumShouldMatch(given, bound.length);
  return minimum > bound.length ? matchNone({ boost, path }) : joined(bound, Math.max(minimum, 1), path);
}

function joined(should: readonly tree.BoundQuery[], minimumShouldMatch: number, path: string): tree.BoundQuery {
  return {
    kind: 'bool',
    must: [],
    filter: [],
    should,
    mustNot: [],
    minimumShouldMatch,
    boost: 1,
    path,
  };
}

function wordQuery(mapped: CompiledField, word: string, query: WordsQuery, binder: QueryBinder): tree.BoundQuery {
  const { fuzziness, field, boost, path, prefixLength, maxExpansions } = query;
  if (fuzziness === undefined) return valueQuery(mapped, word, query, binder);
  if (mapped.type !== 'keyword') return matchNone(query);
  const transpositions = query.fuzzyTranspositions;
  const options = { fuzziness, prefixLength, maxExpansions, transpositions };
  return bindFuzzy({ kind: 'fuzzy', field, value: word, ...options, boost, path }, mapped);
}

function prefixQuery(mapped: CompiledField, prefix: string, query: WordsQuery): tree.BoundPrefix | tree.MatchNoneQuery {
  const { field, boost, path } = query;
  if (mapped.type !== 'keyword') {
    if (query.lenient) return matchNone(query);
    throw invalid(
      path,
      `A beginning of a word at ${path} needs a text or keyword field; ${quote(field)} is ${mapped.type}`,
    );
  }
  const value = mapped.isLowerCased ? lowerCase(prefix) : prefix;
  return { kind: 'prefix', field, value, caseInsensitive: false, boost, path, mapped };
}

const LOWER_CASED = 'lowercase';

interface WeightedMapped {
  readonly mapped: CompiledField;
  readonly boost: number;
}

/** The fields with the same analyzer are a group: in it each word may be in any field. */
function bindCrossFields(
  query: tree.CrossFieldsQuery,
  binder: QueryBinder,
): tree.BoundCrossFields | tree.MatchAllQuery | tree.MatchNoneQuery | tree.DisMaxQuery<tree.BoundQuery> {
  const groups = new Map<string, WeightedMapped[]>();
  for (const { field, boost } of query.fields) {
    const mapped = binder.searchedField(field, query.path);
    if (mapped === undefined || !isShownAt(binder.compiled, mapped, binder.state.nestedPath)) continue;
    const analyzer = query.analyzer ?? analyzerNameOf(mapped);
    groups.set(analyzer, [...(groups.get(analyzer) ?? []), { mapped, boost }]);
  }
  const bound = Array.from(groups, ([analyzer, group]) => bindGroup(query, analyzer, group, binder));
  const [only] = bound;
  if (only === undefined) return matchNone(query);
  if (bound.length === 1) return only;
  const { tieBreaker, path } = query;
  return { kind: 'dis_max', queries: bound, tieBreaker, boost: 1, path };
}

function analyzerNameOf({ type, isLowerCased, searchAnalyzer }: CompiledField): string {
  if (type === 'text') return searchAnalyzer;
  return isLowerCased ? LOWER_CASED : 'keyword';
}

function bindGroup(
  query: tree.CrossFieldsQuery,
  analyzer: string,
  group: readonly WeightedMapped[],
  binder: QueryBinder,
): tree.BoundCrossFields | tree.MatchAllQuery | tree.MatchNoneQuery {
  const [first] = group as [WeightedMapped];
  const terms =
    analyzer === LOWER_CASED
      ? [[lowerCase(String(query.query))]]
      : byPosition(wordsFor(first.mapped, query, analyzer)).map((at) => at.terms);
  if (terms.length === 0) return emptyText(query);
  const fieldsOf = (term: string) =>
    group.flatMap(({ mapped, boost }): tree.BoundTerm[] => {
      const { lenient, path } = query;
      const inField = { field: mapped.name, query: term, boost, path, lenient };
      const bound = valueQuery(mapped, term, inField, binder);
      return bound.kind === 'term' ? [bound] : [];
    });
  const words = terms.map((atPosition) => atPosition.map(fieldsOf));
  const fields = group.map(({ mapped, boost }) => ({ field: mapped.name, boost }));
  return { ...query, fields, words };
}
