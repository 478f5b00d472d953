import {
  coerceRange,
  fuzzyEdits,
  type CompiledField,
  type ExpandedQuery,
  type Query,
  type RangeQuery,
} from '@millrace/query';
import { compareTerms } from '../columns/TermDictionary.js';
import { analyse } from '../queries/analyse.js';
import { editDistance } from '../queries/editDistance.js';
import { compileRegexpPattern } from '../queries/regexp.js';
import { foldAscii, parseWildcard } from '../queries/wildcard.js';
import type { SearchScope } from '../SearchScope.js';
import { lowerCase } from '../analysis/lowerCase.js';

/** Whether a query would accept a term. */
export type TermTest = (term: string) => boolean;

/** What a query looks for in a field: single terms, or with several places a phrase. */
export interface Wanted {
  readonly field: string;
  readonly places: readonly { readonly offset: number; readonly accepts: TermTest }[];
  readonly slop: number;
}

/** Everything a query looks for in texts and keywords. What it excludes is not among it. */
export function wantedBy(query: ExpandedQuery, scope: SearchScope): Wanted[] {
  const found: Wanted[] = [];
  const visit = (inner: Query) => {
    for (const clause of positiveClauses(inner as ExpandedQuery)) visit(clause);
    found.push(...wantedByLeaf(inner as ExpandedQuery, scope));
  };
  visit(query);
  return found;
}

function positiveClauses(query: ExpandedQuery): readonly Query[] {
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

function wantedByLeaf(query: ExpandedQuery, scope: SearchScope): Wanted[] {
  if (query.kind === 'cross_fields') {
    return query.fields.flatMap(({ field }) => wantedInField({ ...query, field }, scope));
  }
  return 'field' in query ? wantedInField(query, scope) : [];
}

type FieldQuery = Extract<ExpandedQuery, { readonly field: string }>;
type CrossFieldsPart = Extract<ExpandedQuery, { kind: 'cross_fields' }> & {
  readonly field: string;
};

function wantedInField(query: FieldQuery | CrossFieldsPart, scope: SearchScope): Wanted[] {
  const field = scope.index.mapping.fields.get(query.field);
  if (field === undefined || (field.type !== 'text' && field.type !== 'keyword')) return [];
  const one = (accepts: TermTest): Wanted[] => [
    { field: field.name, places: [{ offset: 0, accepts }], slop: 0 },
  ];
  const form = (text: string) => (field.isLowerCased ? lowerCase(text) : text);
  switch (query.kind) {
    case 'term': {
      const value = form(String(query.value));
      if (!query.caseInsensitive) return one((term) => term === value);
      const folded = foldAscii(value);
      return one((term) => foldAscii(term) === folded);
    }
    case 'terms': {
      const values = new Set(query.values.map((value) => form(String(value))));
      return one((term) => values.has(term));
    }
    case 'prefix': {
      const fold = query.caseInsensitive ? foldAscii : form;
      const prefix = fold(query.value);
      return one((term) => fold(term).startsWith(prefix));
    }
    case 'wildcard': {
      if (query.caseInsensitive) {
        const pattern = parseWildcard(query.value, foldAscii);
        return one((term) => pattern.matches(foldAscii(term)));
      }
      return one(parseWildcard(form(query.value), (text) => text).matches);
    }
    case 'regexp':
      return one(compileRegexpPattern(query.value, query));
    case 'fuzzy':
      return one(fuzzyTest(String(query.value), query));
    case 'range':
      // Without bounds it asks for the field alone.
      if (query.lower === undefined && query.upper === undefined) return [];
      return one(rangeTest(field, query, scope));
    default:
      return wantedText(query, field);
  }
}

function wantedText(query: FieldQuery | CrossFieldsPart, field: CompiledField): Wanted[] {
  if (!('query' in query)) return [];
  const isPhrase = query.kind === 'match_phrase' || query.kind === 'match_phrase_prefix';
  const tokens =
    field.type === 'keyword'
      ? {
          terms: [field.isLowerCased ? lowerCase(String(query.query)) : String(query.query)],
          positions: [0],
        }
      : analyse(
          field,
          query.query,
          query.analyzer ?? (isPhrase ? field.searchQuoteAnalyzer : undefined),
        );
  const hasPrefix = query.kind === 'match_phrase_prefix' || query.kind === 'match_bool_prefix';
  const { fuzziness } = 'fuzziness' in query ? query : {};
  const places = tokens.terms.map((wanted, i) => {
    const offset = tokens.positions[i] ?? 0;
    if (hasPrefix && i === tokens.terms.length - 1)
      return { offset, accepts: (term: string) => term.startsWith(wanted) };
    if (fuzziness === undefined || !('fuzzyTranspositions' in query))
      return { offset, accepts: (term: string) => term === wanted };
    const options = { ...query, fuzziness, transpositions: query.fuzzyTranspositions };
    return { offset, accepts: fuzzyTest(wanted, options) };
  });
  if (isPhrase) return places.length === 0 ? [] : [{ field: field.name, places, slop: query.slop }];
  return places.map((place) => ({ field: field.name, places: [{ ...place, offset: 0 }], slop: 0 }));
}

function fuzzyTest(
  word: string,
  options: Pick<
    Extract<ExpandedQuery, { kind: 'fuzzy' }>,
    'fuzziness' | 'prefixLength' | 'transpositions'
  >,
): TermTest {
  const characters = [...word];
  const limit = fuzzyEdits(options.fuzziness, characters.length);
  const prefix = characters.slice(0, options.prefixLength).join('');
  return (term) => {
    if (!term.startsWith(prefix)) return false;
    const others = [...term];
    if (Math.abs(others.length - characters.length) > limit) return false;
    return editDistance(characters, others, limit, options.transpositions) <= limit;
  };
}

function rangeTest(field: CompiledField, query: RangeQuery, scope: SearchScope): TermTest {
  const range = coerceRange(field, query, scope.nowMs);
  if (range.kind === 'number') return () => false;
  const { lower, upper } = range;
  return (term) => {
    const above = lower === undefined ? 1 : compareTerms(term, lower.value);
    const below = upper === undefined ? -1 : compareTerms(term, upper.value);
    return (
      (above > 0 || (above === 0 && lower?.inclusive === true)) &&
      (below < 0 || (below === 0 && upper?.inclusive === true))
    );
  };
}
