/*
 * On a field of type text the bound query has the words. On any other field each word is a value, so the query is bound
 * as `term`, `prefix` and `fuzzy` queries joined by `bool`.
 */
import { type JsonScalar, type JsonValue, TokenList, lowerCase } from '@millrace/language';
import { analyzerOf } from '../mapping/analyzerOf.js';
import { byPosition, isPlainValue, emptyText, valueQuery, wordsFor, type TermsAt } from './bindText.js';
import { matchNone } from './matchNone.js';
import type { QueryBinder } from './QueryBinder.js';
import { invalid } from '../errors.js';
import type { CompiledField, CompiledMapping } from '../mapping/CompiledMapping.js';
import { resolveMinimumShouldMatch, type MinimumShouldMatch } from '../parse/parseMinimumShouldMatch.js';
import type { Options } from '../parse/Options.js';
import { readBase } from '../parse/queryBase.js';
import { present } from '../present.js';
import { quote } from '../show.js';
import type {
  BoundPrefix,
  BoundQuery,
  FuzzyTextOptions,
  MatchNoneQuery,
  OfWords,
  Query,
  QueryBase,
  TextQueryBase,
} from '../tree/Query.js';
import { NO_CLAUSES } from './compoundKinds.js';
import { assertFuzzyLength, bindFuzzy, expansionLookups } from './patternKinds.js';
import { readPhrase, readPhrasePrefix } from './phraseKinds.js';
import { limitedTerms, ONE_FIELD, type QueryKinds } from './QueryKind.js';
import { MAX_CLAUSE_COUNT } from '../parse/QueryParser.js';
import {
  OPERATORS,
  openText,
  readFuzzyOptions,
  readMinimumShouldMatch,
  readQueryText,
  wordCount,
  ZERO_TERMS,
} from './textOptions.js';

/** Any or all tokens of the text. A single token matches whatever `minimumShouldMatch` is. */
export interface MatchQuery extends TextQueryBase, FuzzyTextOptions {
  readonly kind: 'match';
  readonly operator: 'or' | 'and';
  readonly minimumShouldMatch?: MinimumShouldMatch;
  /** A value that doesn't fit the field matches nothing instead of failing. */
  readonly lenient: boolean;
  /** The matches of text without tokens. */
  readonly zeroTermsQuery: 'none' | 'all';
}
/** Tokens in any order, the last one as a prefix. */
export interface MatchBoolPrefixQuery extends TextQueryBase, FuzzyTextOptions {
  readonly kind: 'match_bool_prefix';
  readonly operator: 'or' | 'and';
  readonly zeroTermsQuery: 'none' | 'all';
  readonly minimumShouldMatch?: MinimumShouldMatch;
  readonly lenient: boolean;
}
/** See `OfWords`. */
export type BoundMatch = MatchQuery & OfWords;
/** See `OfWords`. */
export interface BoundMatchBoolPrefix extends MatchBoolPrefixQuery, OfWords {
  /** False if a character after the last word, such as a blank, completes it. */
  readonly endsInPrefix: boolean;
}

type WordsQuery = MatchQuery | MatchBoolPrefixQuery;

function parseMatch(value: JsonValue | undefined, path: string): Query {
  const [entry, options] = openText(value, path, 'match');
  const type = options.choice('type', ['boolean', 'phrase', 'phrase_prefix']);
  if (type === 'phrase' || type === 'phrase_prefix') {
    // Options of a plain match didn't apply to phrases in the old form either.
    options.drop('operator', 'minimum_should_match', 'fuzziness', 'prefix_length', 'zero_terms_query');
    if (type === 'phrase') options.drop('max_expansions');
    return type === 'phrase' ? readPhrase(entry, options) : readPhrasePrefix(entry, options);
  }
  const query: MatchQuery = {
    kind: 'match',
    field: entry.field,
    query: readQueryText(options),
    operator: options.choice('operator', OPERATORS) ?? 'or',
    lenient: options.boolean('lenient') ?? false,
    zeroTermsQuery: options.choice('zero_terms_query', ZERO_TERMS) ?? 'none',
    ...readWordOptions(options, entry.base),
  };
  options.end();
  return query;
}

/** The options of both kinds that come last. */
function readWordOptions(options: Options, outer: QueryBase) {
  return {
    ...readFuzzyOptions(options),
    ...present({
      minimumShouldMatch: readMinimumShouldMatch(options),
      analyzer: options.text('analyzer'),
    }),
    ...readBase(options, outer),
  };
}

function parseMatchBoolPrefix(value: JsonValue | undefined, path: string): Query {
  const [entry, options] = openText(value, path, 'match_bool_prefix');
  const query: MatchBoolPrefixQuery = {
    kind: 'match_bool_prefix',
    zeroTermsQuery: 'none',
    field: entry.field,
    query: readQueryText(options),
    operator: options.choice('operator', OPERATORS) ?? 'or',
    lenient: false,
    ...readWordOptions(options, entry.base),
  };
  options.end();
  return query;
}

/** The queries by words in any order. */
export const MATCH_KINDS: QueryKinds<'match' | 'match_bool_prefix'> = {
  match: {
    ...ONE_FIELD,
    parse: parseMatch,
    bind(query, binder) {
      const mapped = binder.searchedField(query.field, query.path);
      if (mapped === undefined) return matchNone(query);
      if (isPlainValue(mapped, query)) return valueQuery(mapped, query.query, query, binder);
      if (mapped.type !== 'text') return valueQueries(mapped, query, false, binder);
      const words = byPosition(wordsFor(mapped, query, mapped.searchAnalyzer));
      assertCount(words, query);
      return words.length === 0 ? emptyText(query) : { ...query, mapped, words };
    },
    lookups: wordLookups,
    assertEndable: assertEndableWords,
    whyUndecidable: whyLimited,
    isScan: ({ fuzziness }) => fuzziness !== undefined,
  },
  match_bool_prefix: {
    ...ONE_FIELD,
    parse: parseMatchBoolPrefix,
    bind(query, binder) {
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
    lookups: wordLookups,
    assertEndable: assertEndableWords,
    whyUndecidable: whyLimited,
    isScan: ({ fuzziness }) => fuzziness !== undefined,
  },
};

function wordLookups(query: WordsQuery): number {
  return wordCount(query.query) * (query.fuzziness === undefined ? 1 : expansionLookups(query));
}

function whyLimited(query: WordsQuery): string | null {
  return query.fuzziness === undefined ? null : limitedTerms('fuzziness', query);
}

function assertEndableWords(query: WordsQuery, compiled: CompiledMapping): void {
  if (query.fuzziness === undefined) return;
  const field = compiled.fields.get(query.field);
  const analyzer = compiled.analyzers.get(query.analyzer ?? field?.searchAnalyzer ?? '');
  const isOneWord = field?.type !== 'text' || analyzer?.isOfWords !== true;
  const longest = isOneWord ? String(query.query) : longestWord(query.query);
  assertFuzzyLength(longest, query.path);
}

function longestWord(text: JsonScalar): string {
  let longest = '';
  for (const word of String(text).split(/\s+/)) if (word.length > longest.length) longest = word;
  return longest;
}

/** Tokens with the end of the last one. */
class EndTokens extends TokenList {
  lastEnd = -1;

  override add(term: string, position: number, start: number, end: number): void {
    super.add(term, position, start, end);
    this.lastEnd = end;
  }
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

/** The words of a string as values of a field that is not of type text. */
function valueQueries(
  mapped: CompiledField,
  query: WordsQuery,
  endsInPrefix: boolean,
  binder: QueryBinder,
): BoundQuery {
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
  const bound = words.map(({ terms }, i): BoundQuery => {
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

function joined(should: readonly BoundQuery[], minimumShouldMatch: number, path: string): BoundQuery {
  return { kind: 'bool', ...NO_CLAUSES, should, minimumShouldMatch, boost: 1, path };
}

function wordQuery(mapped: CompiledField, word: string, query: WordsQuery, binder: QueryBinder): BoundQuery {
  const { fuzziness, field, boost, path, prefixLength, maxExpansions } = query;
  if (fuzziness === undefined) return valueQuery(mapped, word, query, binder);
  if (mapped.type !== 'keyword') return matchNone(query);
  const transpositions = query.fuzzyTranspositions;
  const options = { fuzziness, prefixLength, maxExpansions, transpositions };
  return bindFuzzy({ kind: 'fuzzy', field, value: word, ...options, boost, path }, mapped);
}

function prefixQuery(mapped: CompiledField, prefix: string, query: WordsQuery): BoundPrefix | MatchNoneQuery {
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
