import { lowerCase } from '@millrace/language';
import {
  coerceRange,
  compileRegexp,
  fuzzyEdits,
  type CompiledField,
  type ExpandedQuery,
  type Fuzziness,
  type RangeQuery,
} from '@millrace/query';
import { compareTerms } from '../columns/TermDictionary.js';
import { byPosition } from '../queries/byPosition.js';
import { editDistance } from '../queries/editDistance.js';
import { foldAscii, parseWildcard } from '../queries/wildcard.js';
import type { SearchScope } from '../SearchScope.js';
import type { SearchedPhrase, TermTest } from './SearchedPhrase.js';
import { tokensIn } from './tokensIn.js';

type LeafQuery = Extract<ExpandedQuery, { readonly field: string }>;
type TextQuery = Extract<ExpandedQuery, { readonly query: string | number | boolean }>;

/** The phrases that a query without clauses searches for in text and keyword fields. */
export function phrasesOfLeaf(query: ExpandedQuery, scope: SearchScope): SearchedPhrase[] {
  const textField = (name: string): CompiledField | undefined => {
    const field = scope.index.mapping.fields.get(name);
    return field?.type === 'text' || field?.type === 'keyword' ? field : undefined;
  };
  if (query.kind === 'cross_fields')
    return query.fields.flatMap(({ field }) => phrasesOfText(textField(field), query));
  if (!('field' in query)) return [];
  const field = textField(query.field);
  if ('query' in query) return phrasesOfText(field, query);
  const accepts = field && termTest(field, query, scope.nowMs);
  return accepts === undefined
    ? []
    : [{ field: query.field, terms: [{ offset: 0, accepts }], slop: 0 }];
}

function termTest(field: CompiledField, query: LeafQuery, nowMs: number): TermTest | undefined {
  const fold = 'caseInsensitive' in query && query.caseInsensitive ? foldAscii : same;
  const normalize = (value: unknown) =>
    fold(field.isLowerCased ? lowerCase(String(value)) : String(value));
  switch (query.kind) {
    case 'term': {
      const value = normalize(query.value);
      return (term) => fold(term) === value;
    }
    case 'terms': {
      const values = new Set(query.values.map(normalize));
      return (term) => values.has(term);
    }
    case 'prefix': {
      const prefix = normalize(query.value);
      return (term) => fold(term).startsWith(prefix);
    }
    case 'wildcard': {
      const { matches } = parseWildcard(normalize(query.value), same);
      return (term) => matches(fold(term));
    }
    case 'regexp':
      return compileRegexp(field.isLowerCased ? lowerCase(query.value) : query.value, query);
    case 'fuzzy':
      return fuzzyTest(normalize(query.value), query);
    case 'range':
      return rangeTest(coerceRange(field, query, nowMs));
    default:
      return undefined;
  }
}

function same(text: string): string {
  return text;
}

function fuzzyTest(
  word: string,
  options: {
    readonly fuzziness: Fuzziness;
    readonly prefixLength: number;
    readonly transpositions: boolean;
  },
): TermTest {
  const characters = [...word];
  const limit = fuzzyEdits(options.fuzziness, characters.length);
  const prefix = characters.slice(0, options.prefixLength).join('');
  return (term) =>
    term.startsWith(prefix) &&
    editDistance(characters, [...term], limit, options.transpositions) <= limit;
}

/** Undefined for a range without bounds: it matches any value, not particular words. */
function rangeTest({ lower, upper }: Pick<RangeQuery, 'lower' | 'upper'>): TermTest | undefined {
  if (lower === undefined && upper === undefined) return undefined;
  const isWithin = (order: number, bound: { readonly inclusive: boolean }) =>
    order > 0 || (order === 0 && bound.inclusive);
  return (term) =>
    (lower === undefined || isWithin(compareTerms(term, String(lower.value)), lower)) &&
    (upper === undefined || isWithin(compareTerms(String(upper.value), term), upper));
}

/** The words of a text query: one phrase, or each word separately. */
function phrasesOfText(field: CompiledField | undefined, query: TextQuery): SearchedPhrase[] {
  if (field === undefined) return [];
  const isPhrase = query.kind === 'match_phrase' || query.kind === 'match_phrase_prefix';
  const own = isPhrase ? field.searchQuoteAnalyzer : field.searchAnalyzer;
  const analyzer = query.analyzer ?? (field.type === 'text' ? own : undefined);
  const text = String(query.query);
  const tokens = tokensIn(field, text, analyzer);
  // In `match_bool_prefix` a blank after the last word completes it.
  const endsInPrefix =
    query.kind === 'match_phrase_prefix' ||
    (query.kind === 'match_bool_prefix' && tokens.ends.at(-1) === text.length);
  const groups = byPosition(tokens);
  const terms = groups.map(({ terms: choices, position: offset }, i) => {
    const isPrefix = endsInPrefix && i === groups.length - 1;
    const tests = choices.map((word) => wordTest(word, query, isPrefix));
    return { offset, accepts: (term: string) => tests.some((accepts) => accepts(term)) };
  });
  if (!isPhrase) return terms.map((one) => ({ field: field.name, terms: [one], slop: 0 }));
  return terms.length === 0 ? [] : [{ field: field.name, terms, slop: query.slop }];
}

function wordTest(word: string, query: TextQuery, isPrefix: boolean): TermTest {
  if (isPrefix) return (term) => term.startsWith(word);
  if (!('fuzziness' in query) || query.fuzziness === undefined) return (term) => term === word;
  const { fuzziness, prefixLength, fuzzyTranspositions: transpositions } = query;
  return fuzzyTest(word, { fuzziness, prefixLength, transpositions });
}
