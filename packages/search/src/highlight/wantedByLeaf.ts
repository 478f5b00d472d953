import {
  analyzerOf,
  scalarText,
  coerceRange,
  compileRegexp,
  fuzzyEdits,
  lowerCase,
  soleTermOfRegexp,
  type CompiledField,
  type ExpandedQuery,
  type RangeQuery,
} from '@millrace/query';
import { PlacedTokenList } from '../analysis/PlacedTokenList.js';
import { compareTerms } from '../columns/TermDictionary.js';
import { analyse } from '../queries/analyse.js';
import { byPosition } from '../queries/byPosition.js';
import { fieldsToExist } from '../queries/compileExists.js';
import { editDistance } from '../queries/editDistance.js';
import { foldAscii, parseWildcard } from '../queries/wildcard.js';
import type { SearchScope } from '../SearchScope.js';
import type { TermTest, Wanted } from './Wanted.js';
import { TERM_OF_FALSE, TERM_OF_TRUE, wantedBoolean } from './wantedBoolean.js';

/** What a query without clauses looks for in texts and keywords. */
export function wantedByLeaf(query: ExpandedQuery, scope: SearchScope): Wanted[] {
  if (query.kind === 'cross_fields') {
    // Of words that are looked for in several fields at once Lucene does not know the terms beside a phrase.
    const isLiteral = query.fields.length > 1;
    return query.fields
      .flatMap(({ field }) => wantedInField({ ...query, field }, scope))
      .map((wanted) => ({ ...wanted, isLiteral }));
  }
  if (query.kind === 'exists')
    return Array.from(fieldsToExist(query, scope)).flatMap(wantedAsValue);
  return 'field' in query ? wantedInField(query, scope) : [];
}

/** Lucene asks the columns of a field for its values, and its words where there is no column. */
function wantedAsValue({ name, type, hasNorms, hasDocValues }: CompiledField): Wanted[] {
  const hasColumn = hasNorms || (hasDocValues && type !== 'text');
  return hasColumn ? [{ field: name, places: [], slop: 0, isOpaque: true }] : [];
}

type FieldQuery = Extract<ExpandedQuery, { readonly field: string }>;
type CrossFieldsPart = Extract<ExpandedQuery, { kind: 'cross_fields' }> & {
  readonly field: string;
};

function wantedInField(query: FieldQuery | CrossFieldsPart, scope: SearchScope): Wanted[] {
  const field = scope.index.mapping.fields.get(query.field);
  const one = (accepts: TermTest): Wanted[] => [
    { field: query.field, places: [{ offset: 0, accepts }], slop: 0 },
  ];
  const pattern = (accepts: TermTest, isLiteral: boolean): Wanted[] => [
    { field: query.field, places: [{ offset: 0, accepts, isPattern: true }], slop: 0, isLiteral },
  ];
  // A pattern is one whether or not its field is mapped, for what is marked without regard to fields.
  if (field === undefined)
    return query.kind === 'regexp'
      ? pattern(compileRegexp(query.value, query), isLiteralRegexp(query, query.value))
      : [];
  if (field.type === 'boolean' && query.kind !== 'range') {
    const accepts = field.isIndexed ? wantedBoolean(query) : undefined;
    return accepts === undefined ? [] : one(accepts);
  }
  const hasTerms = field.type === 'text' || field.type === 'keyword' || field.type === 'boolean';
  if (!hasTerms) return [];
  const form = (text: string) => (field.isLowerCased ? lowerCase(text) : text);
  switch (query.kind) {
    case 'term': {
      const value = form(scalarText(query.value));
      if (!query.caseInsensitive) return one((term) => term === value);
      const folded = foldAscii(value);
      return pattern((term) => foldAscii(term) === folded, !/[a-z]/i.test(value));
    }
    case 'terms': {
      const values = new Set(query.values.map((value) => form(scalarText(value))));
      const isLiteral = values.size === 1;
      const [wanted] = pattern((term) => values.has(term), isLiteral);
      return wanted === undefined ? [] : [{ ...wanted, isOpaque: values.size > 1 }];
    }
    case 'prefix': {
      const fold = query.caseInsensitive ? foldAscii : form;
      const prefix = fold(query.value);
      return pattern((term) => fold(term).startsWith(prefix), false);
    }
    case 'wildcard': {
      const isLiteral = !/[*?]/.test(query.value.replace(/\\./gs, ''));
      if (query.caseInsensitive) {
        const { matches } = parseWildcard(query.value, foldAscii);
        const hasLetters = /[a-z]/i.test(query.value);
        return pattern((term) => matches(foldAscii(term)), isLiteral && !hasLetters);
      }
      return pattern(parseWildcard(form(query.value), (text) => text).matches, isLiteral);
    }
    case 'regexp':
      return pattern(
        compileRegexp(form(query.value), query),
        isLiteralRegexp(query, form(query.value)),
      );
    case 'fuzzy':
      return pattern(fuzzyTest(scalarText(query.value), query), false);
    case 'range':
      // Without bounds it asks for the field alone.
      if (query.lower === undefined && query.upper === undefined) return wantedAsValue(field);
      return pattern(rangeTest(field, query, scope), isOneValue(query));
    default:
      return wantedText(query, field);
  }
}

function isLiteralRegexp(query: Extract<FieldQuery, { kind: 'regexp' }>, value: string): boolean {
  return soleTermOfRegexp(value, query) !== undefined;
}

function isOneValue({ lower, upper }: RangeQuery): boolean {
  if (lower === undefined || upper === undefined) return false;
  return lower.inclusive && upper.inclusive && lower.value === upper.value;
}

function wantedText(query: FieldQuery | CrossFieldsPart, field: CompiledField): Wanted[] {
  if (!('query' in query)) return [];
  const isPhrase = query.kind === 'match_phrase' || query.kind === 'match_phrase_prefix';
  const tokens =
    field.type === 'keyword' && query.analyzer === undefined
      ? {
          terms: [
            field.isLowerCased ? lowerCase(scalarText(query.query)) : scalarText(query.query),
          ],
          positions: [0],
        }
      : analyse(
          field,
          query.query,
          query.analyzer ?? (isPhrase ? field.searchQuoteAnalyzer : undefined),
        );
  const hasPrefix =
    query.kind === 'match_phrase_prefix' ||
    (query.kind === 'match_bool_prefix' && endsInWord(field, query));
  const { fuzziness } = 'fuzziness' in query ? query : {};
  const groups = byPosition(tokens);
  const places = groups.map(({ terms, position: offset }, i) => {
    const [wanted = ''] = terms;
    const isLast = i === groups.length - 1;
    if (hasPrefix && isLast && (terms.length === 1 || query.kind === 'match_phrase_prefix'))
      return {
        offset,
        accepts: (term: string) => terms.some((each) => term.startsWith(each)),
        isPattern: true,
      };
    if (terms.length > 1) return { offset, accepts: (term: string) => terms.includes(term) };
    if (fuzziness === undefined || !('fuzzyTranspositions' in query))
      return { offset, accepts: (term: string) => term === wanted };
    const options = { ...query, fuzziness, transpositions: query.fuzzyTranspositions };
    return { offset, accepts: fuzzyTest(wanted, options), isPattern: true };
  });
  if (isPhrase) {
    const endsInPrefix = query.kind === 'match_phrase_prefix';
    return places.length === 0
      ? []
      : [{ field: field.name, places, slop: query.slop, endsInPrefix, isOpaque: endsInPrefix }];
  }
  return places.map((place) => ({ field: field.name, places: [{ ...place, offset: 0 }], slop: 0 }));
}

/** Whether the last token is the beginning of a word: not where something, if only a blank, stands behind it. */
function endsInWord(
  field: CompiledField,
  { query, analyzer }: Extract<ExpandedQuery, { kind: 'match_bool_prefix' }>,
): boolean {
  if (field.type !== 'text' && analyzer === undefined) return true;
  const tokens = new PlacedTokenList();
  const text = scalarText(query);
  analyzerOf(field, analyzer ?? field.searchAnalyzer).analyze(text, tokens, 0);
  return tokens.ends.at(-1) === text.length;
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
  const { lower, upper } = range;
  const termOf = (value: string | number) =>
    typeof value === 'string' ? value : value === 1 ? TERM_OF_TRUE : TERM_OF_FALSE;
  return (term) => {
    const above = lower === undefined ? 1 : compareTerms(term, termOf(lower.value));
    const below = upper === undefined ? -1 : compareTerms(term, termOf(upper.value));
    return (
      (above > 0 || (above === 0 && lower?.inclusive === true)) &&
      (below < 0 || (below === 0 && upper?.inclusive === true))
    );
  };
}
