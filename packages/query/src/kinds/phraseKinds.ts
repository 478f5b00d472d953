import type { JsonScalar } from '@millrace/language';
import { byPosition, isPlainValue, emptyText, valueQuery, wordsFor, type TermsAt } from './bindText.js';
import { matchNone } from './matchNone.js';
import { invalid } from '../errors.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import type { Options } from '../parse/Options.js';
import { type FieldEntry, readBase } from '../parse/queryBase.js';
import { present } from '../present.js';
import { quote } from '../show.js';
import type { OfWords, TextQueryBase } from '../tree/Query.js';
import { expansionLookups } from './patternKinds.js';
import { limitedTerms, ONE_FIELD, type QueryKinds } from './QueryKind.js';
import { openText, readQueryText, wordCount, ZERO_TERMS } from './textOptions.js';

/** The tokens of the text in order, at most `slop` moves apart. */
export interface MatchPhraseQuery extends TextQueryBase {
  readonly kind: 'match_phrase';
  readonly slop: number;
  readonly zeroTermsQuery: 'none' | 'all';
  readonly lenient: boolean;
}
/** A phrase whose last token is a prefix. */
export interface MatchPhrasePrefixQuery extends TextQueryBase {
  readonly kind: 'match_phrase_prefix';
  readonly slop: number;
  readonly maxExpansions: number;
  readonly zeroTermsQuery: 'none' | 'all';
  readonly lenient: boolean;
}
/** See `OfWords`. */
export type BoundMatchPhrase = MatchPhraseQuery & OfWords;
/** See `OfWords`. */
export type BoundMatchPhrasePrefix = MatchPhrasePrefixQuery & OfWords;

const MAX_REPEATS = 20;

type PhraseQuery = MatchPhraseQuery | MatchPhrasePrefixQuery;

/** The rest of a `match_phrase`. */
export function readPhrase(entry: FieldEntry, options: Options): MatchPhraseQuery {
  const query: MatchPhraseQuery = {
    kind: 'match_phrase',
    ...readPhraseOptions(entry, options),
  };
  options.end();
  return query;
}

/** The common options of phrases and phrase prefixes. */
function readPhraseOptions(entry: FieldEntry, options: Options): Omit<MatchPhraseQuery, 'kind'> {
  return {
    field: entry.field,
    query: readQueryText(options),
    slop: options.number('slop', { min: 0, isInteger: true }) ?? 0,
    zeroTermsQuery: options.choice('zero_terms_query', ZERO_TERMS) ?? 'none',
    lenient: false,
    ...present({ analyzer: options.text('analyzer') }),
    ...readBase(options, entry.base),
  };
}

/** The rest of a `match_phrase_prefix`. */
export function readPhrasePrefix(entry: FieldEntry, options: Options): MatchPhrasePrefixQuery {
  const query: MatchPhrasePrefixQuery = {
    kind: 'match_phrase_prefix',
    ...readPhraseOptions(entry, options),
    maxExpansions: options.number('max_expansions', { min: 1, isInteger: true }) ?? 50,
  };
  options.end();
  return query;
}

/** The queries by words in order. */
export const PHRASE_KINDS: QueryKinds<'match_phrase' | 'match_phrase_prefix'> = {
  match_phrase: {
    ...ONE_FIELD,
    parse: (value, path) => readPhrase(...openText(value, path, 'match_phrase')),
    bind(query, binder) {
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
    lookups: phraseLookups,
    assertEndable: assertEndablePhrase,
  },
  match_phrase_prefix: {
    ...ONE_FIELD,
    parse: (value, path) => readPhrasePrefix(...openText(value, path, 'match_phrase_prefix')),
    bind(query, binder) {
      const mapped = binder.searchedField(query.field, query.path);
      if (mapped === undefined) return matchNone(query);
      const words = phraseOf(mapped, query);
      if (words.length === 0) return emptyText(query);
      return mapped.type === 'text' ? { ...query, mapped, words } : matchNone(query);
    },
    lookups: (query) => phraseLookups(query) + expansionLookups(query),
    assertEndable: assertEndablePhrase,
    whyUndecidable: (query) => limitedTerms('match_phrase_prefix', query),
  },
};

/** A phrase with slop compares the positions of the words with each other. */
function phraseLookups({ query, slop }: PhraseQuery): number {
  return wordCount(query) ** (slop === 0 ? 1 : 2);
}

function assertEndablePhrase({ query, slop, path }: PhraseQuery): void {
  if (slop > 0 && mostRepeated(query) > MAX_REPEATS)
    throw invalid(path, `A phrase with slop may have each word ${MAX_REPEATS} times (at ${path})`);
}

/** The number of occurrences of the most frequent word. */
function mostRepeated(text: JsonScalar): number {
  const counts = new Map<string, number>();
  let most = 0;
  for (const [word] of String(text)
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}]+/gu)) {
    const count = (counts.get(word) ?? 0) + 1;
    counts.set(word, count);
    most = Math.max(most, count);
  }
  return most;
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
