import {
  fuzzyEdits,
  type BoundQuery,
  type CoercedRange,
  type Fuzziness,
  type OfWords,
  type OnField,
} from '@millrace/query';
import { compareTerms } from '../columns/TermDictionary.js';
import { foldAscii, parseWildcard } from '../queries/wildcard.js';
import type { SearchedPhrase, TermTest } from './SearchedPhrase.js';

type TextQuery = Extract<BoundQuery, OfWords>;

/** The phrases that a query without clauses searches for in text and keyword fields. */
export function phrasesOfLeaf(query: BoundQuery): SearchedPhrase[] {
  if (query.kind === 'cross_fields') return query.words.flat(2).flatMap(phrasesOfLeaf);
  if (!('mapped' in query)) return [];
  const { type, name } = query.mapped;
  if (type !== 'text' && type !== 'keyword') return [];
  if ('words' in query) return phrasesOfText(query);
  const accepts = termTest(query);
  return accepts === undefined ? [] : [{ field: name, terms: [{ offset: 0, accepts }], slop: 0 }];
}

function termTest(query: Exclude<Extract<BoundQuery, OnField>, TextQuery>): TermTest | undefined {
  const fold = 'caseInsensitive' in query && query.caseInsensitive ? foldAscii : same;
  switch (query.kind) {
    case 'term': {
      if (query.term.kind !== 'text') return undefined;
      const value = fold(query.term.value);
      return (term) => fold(term) === value;
    }
    case 'terms': {
      const values = new Set(query.terms.map((term) => (term.kind === 'text' ? term.value : '')));
      return (term) => values.has(term);
    }
    case 'prefix': {
      const prefix = fold(query.value);
      return (term) => fold(term).startsWith(prefix);
    }
    case 'wildcard': {
      const { matches } = parseWildcard(fold(query.value), same);
      return (term) => matches(fold(term));
    }
    case 'regexp':
      return query.accepts;
    case 'fuzzy':
      return fuzzyTest(String(query.value), query);
    case 'range':
      return query.range.kind === 'text' ? rangeTest(query.range) : undefined;
    case 'distance_feature':
    case 'geo_distance':
    case 'geo_bounding_box':
    case 'geo_polygon':
    case 'geo_shape':
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
    term.startsWith(prefix) && editDistance(characters, [...term], limit, options.transpositions) <= limit;
}

function rangeTest({ lower, upper }: Extract<CoercedRange, { kind: 'text' }>): TermTest {
  const isWithin = (order: number, bound: { readonly inclusive: boolean }) =>
    order > 0 || (order === 0 && bound.inclusive);
  return (term) =>
    (lower === undefined || isWithin(compareTerms(term, lower.value), lower)) &&
    (upper === undefined || isWithin(compareTerms(upper.value, term), upper));
}

/** The words of a text query: one phrase, or each word separately. */
function phrasesOfText(query: TextQuery): SearchedPhrase[] {
  const { words, field } = query;
  const endsInPrefix =
    query.kind === 'match_phrase_prefix' || (query.kind === 'match_bool_prefix' && query.endsInPrefix);
  const terms = words.map(({ terms: choices, position: offset }, i) => {
    const isPrefix = endsInPrefix && i === words.length - 1;
    const tests = choices.map((word) => wordTest(word, query, isPrefix));
    return { offset, accepts: (term: string) => tests.some((accepts) => accepts(term)) };
  });
  if (query.kind === 'match_phrase' || query.kind === 'match_phrase_prefix')
    return [{ field, terms, slop: query.slop }];
  return terms.map((one) => ({ field, terms: [one], slop: 0 }));
}

function wordTest(word: string, query: TextQuery, isPrefix: boolean): TermTest {
  if (isPrefix) return (term) => term.startsWith(word);
  if (!('fuzziness' in query) || query.fuzziness === undefined) return (term) => term === word;
  const { fuzziness, prefixLength, fuzzyTranspositions: transpositions } = query;
  return fuzzyTest(word, { fuzziness, prefixLength, transpositions });
}

/**
 * The number of insertions, deletions, replacements and (optionally) swaps of neighbours that turn `a` into `b`, or
 * `limit` + 1 if it is larger. Computes only a band of the table as wide as the limit.
 */
export function editDistance(
  a: readonly string[],
  b: readonly string[],
  limit: number,
  hasTranspositions: boolean,
): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = new Array<number>(b.length + 1).fill(limit + 1);
    row[0] = i;
    let least = i;
    const to = Math.min(b.length, i + limit);
    for (let j = Math.max(1, i - limit); j <= to; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      let cost = Math.min(at(previous, j - 1) + (isSame ? 0 : 1), at(previous, j) + 1, at(row, j - 1) + 1);
      if (hasTranspositions && i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, at(beforePrevious, j - 2) + 1);
      }
      row[j] = cost;
      least = Math.min(least, cost);
    }
    // Two rows: a swap refers back over one row.
    if (least > limit && previous.every((cost) => cost > limit)) return limit + 1;
    beforePrevious = previous;
    previous = row;
  }
  return Math.min(at(previous, b.length), limit + 1);
}

function at(row: readonly number[], j: number): number {
  return row[j] as number;
}
