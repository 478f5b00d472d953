import {
  analyzerOf,
  scalarText,
  coerceRange,
  compileRegexp,
  fuzzyEdits,
  positiveClauses,
  lowerCase,
  type CompiledField,
  type ExpandedQuery,
  type Query,
  type RangeQuery,
} from '@millrace/query';
import { PlacedTokenList } from '../analysis/PlacedTokenList.js';
import { compareTerms } from '../columns/TermDictionary.js';
import { analyse } from '../queries/analyse.js';
import { editDistance } from '../queries/editDistance.js';
import { compileQuery } from '../queries/compileQuery.js';
import { foldAscii, parseWildcard } from '../queries/wildcard.js';
import type { SearchScope } from '../SearchScope.js';
import { TERM_OF_FALSE, TERM_OF_TRUE, wantedBoolean } from './wantedBoolean.js';

/** Whether a query would accept a term. */
export type TermTest = (term: string) => boolean;

/** What a query looks for in a field: single terms, or with several places a phrase. */
export interface Wanted {
  readonly field: string;
  readonly places: readonly {
    readonly offset: number;
    readonly accepts: TermTest;
    /** Whether it stands for many terms, and is no word. */
    readonly isPattern?: boolean;
  }[];
  readonly slop: number;
  /** Of a pattern that fits one term alone, or a list of one: see `seenByTerms`. */
  readonly isLiteral?: boolean;
  /** Of a phrase whose last word is a beginning: what begins so is marked by itself where any field may have been asked. */
  readonly endsInPrefix?: boolean;
  /** Of a phrase below a `function_score`: each of its words is marked wherever it stands where any field may have been asked. */
  readonly isLoose?: boolean;
}

/** What a clause looks for, which counts where the clause matches. */
export interface WantedWhere extends Wanted {
  /** The slots, ascending, that match the clauses around it, for those that a hit need not match. */
  readonly conditions: readonly (() => Int32Array)[];
}

/**
 * Everything a query looks for in texts and keywords. What it excludes is not among it.
 * @param isCertain whether all that is highlighted matches the query
 */
export function wantedBy(
  query: ExpandedQuery,
  scope: SearchScope,
  isCertain: boolean,
): WantedWhere[] {
  const found: WantedWhere[] = [];
  const visit = (
    inner: ExpandedQuery,
    certain: boolean,
    outer: readonly Condition[],
    isScored: boolean,
    isLoose: boolean,
  ) => {
    const own = ownCondition(inner, certain, scope);
    const conditions = own === undefined ? outer : [...outer, own];
    const counts = isScored && inner.boost !== 0;
    for (const clause of positiveClauses(inner)) {
      if (!counts && isOptional(inner, clause)) continue;
      // The slots of nested objects are others.
      const isSure = inner.kind === 'nested' || isRequired(inner, clause);
      const isScoredThere = isScoredIn(inner, clause, counts);
      // Lucene sees the words of a phrase through the query around it, but not that they are one.
      const isLooseThere = isLoose || inner.kind === 'function_score';
      visit(clause as ExpandedQuery, isSure, conditions, isScoredThere, isLooseThere);
    }
    for (const wanted of wantedByLeaf(inner, scope)) {
      const bound = conditions.map((slotsFor) => () => slotsFor(wanted.field));
      found.push({ ...wanted, conditions: bound, ...(isLoose ? { isLoose } : {}) });
    }
  };
  visit(query, isCertain, [], true, false);
  return found;
}

/** The slots that match a clause, as far as it goes for the highlights of a field. */
type Condition = (field: string) => Int32Array;

function ownCondition(
  query: ExpandedQuery,
  isCertain: boolean,
  scope: SearchScope,
): Condition | undefined {
  // Lucene finds no places in texts for what a minimum of the score has let through.
  if (query.kind === 'function_score' && query.minScore !== undefined) return () => NOWHERE;
  return isCertain || isShownByTerms(query) ? undefined : condition(query, scope);
}

const NOWHERE = new Int32Array(0);

function condition(query: ExpandedQuery, scope: SearchScope): Condition {
  const slots = new Map<string | undefined, Int32Array>();
  return (field) => {
    // Fields that exclude nothing share what is found.
    const key = excludesBy(query, field) ? field : undefined;
    let found = slots.get(key);
    if (found === undefined) {
      found = compileQuery(withoutExcluded(query, field), scope).match(false).slots;
      slots.set(key, found);
    }
    return found;
  };
}

/** Whether something in the query is excluded by the field. */
function excludesBy(query: ExpandedQuery, field: string): boolean {
  return (
    (query.kind === 'bool' && query.mustNot.some((inner) => isAbout(inner, field))) ||
    positiveClauses(query).some((inner) => excludesBy(inner as ExpandedQuery, field))
  );
}

/** Lucene looks for matches in a text of the wanted terms alone: what is excluded by the same field is not seen. */
function withoutExcluded(query: ExpandedQuery, field: string): ExpandedQuery {
  const all = (queries: readonly Query[]) =>
    queries.map((inner) => withoutExcluded(inner as ExpandedQuery, field));
  switch (query.kind) {
    case 'bool':
      return {
        ...query,
        must: all(query.must),
        filter: all(query.filter),
        should: all(query.should),
        mustNot: query.mustNot.flatMap((inner) => outsideOf(inner as ExpandedQuery, field)),
      };
    case 'dis_max':
      return { ...query, queries: all(query.queries) };
    case 'constant_score':
      return { ...query, filter: withoutExcluded(query.filter as ExpandedQuery, field) };
    default:
      return query;
  }
}

/** What excludes without the part that is about the field: nothing, or one query. */
function outsideOf(query: ExpandedQuery, field: string): readonly Query[] {
  if (!isAbout(query, field)) return [query];
  if (query.kind !== 'dis_max') return [];
  const queries = query.queries.flatMap((inner) => outsideOf(inner as ExpandedQuery, field));
  return queries.length === 0 ? [] : [{ ...query, queries }];
}

function isAbout(query: Query, field: string): boolean {
  if ('field' in query) return query.field === field;
  return positiveClauses(query as ExpandedQuery).some((inner) => isAbout(inner, field));
}

/** Whether each document with one of its terms matches a query. */
function isShownByTerms(query: ExpandedQuery): boolean {
  switch (query.kind) {
    case 'term':
    case 'terms':
    case 'prefix':
    case 'wildcard':
    case 'regexp':
    case 'fuzzy':
    case 'range':
      return true;
    case 'match':
      return query.operator === 'or' && query.minimumShouldMatch === undefined;
    default:
      return false;
  }
}

function isRequired(query: ExpandedQuery, clause: Query): boolean {
  if (query.kind === 'bool') return query.must.includes(clause) || query.filter.includes(clause);
  return query.kind !== 'dis_max' || query.queries.length === 1;
}

/** Whether a clause only adds to the score: Lucene drops it where nobody asks for that. */
function isOptional(query: ExpandedQuery, clause: Query): boolean {
  if (query.kind !== 'bool' || query.minimumShouldMatch > 0) return false;
  return query.must.length + query.filter.length > 0 && query.should.includes(clause);
}

/** Whether the score of a clause counts, as far as Lucene follows it: not through other queries than these two. */
function isScoredIn(query: ExpandedQuery, clause: Query, isScored: boolean): boolean {
  if (query.kind === 'constant_score') return false;
  return query.kind !== 'bool' || (isScored && !query.filter.includes(clause));
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
  const one = (accepts: TermTest): Wanted[] => [
    { field: query.field, places: [{ offset: 0, accepts }], slop: 0 },
  ];
  const pattern = (accepts: TermTest, isLiteral: boolean): Wanted[] => [
    { field: query.field, places: [{ offset: 0, accepts, isPattern: true }], slop: 0, isLiteral },
  ];
  // A pattern is one whether or not its field is mapped, for what is marked without regard to fields.
  if (field === undefined)
    return query.kind === 'regexp'
      ? pattern(compileRegexp(query.value, query), isLiteralRegexp(query))
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
      return pattern((term) => values.has(term), values.size === 1);
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
      return pattern(compileRegexp(form(query.value), query), isLiteralRegexp(query));
    case 'fuzzy':
      return pattern(fuzzyTest(scalarText(query.value), query), false);
    case 'range':
      // Without bounds it asks for the field alone.
      if (query.lower === undefined && query.upper === undefined) return [];
      return pattern(rangeTest(field, query, scope), isOneValue(query));
    default:
      return wantedText(query, field);
  }
}

function isLiteralRegexp({
  value,
  caseInsensitive,
}: Extract<FieldQuery, { kind: 'regexp' }>): boolean {
  return !/[.?+*|{}[\]()"\\#@&<>~]/.test(value) && !(caseInsensitive && /[a-z]/i.test(value));
}

function isOneValue({ lower, upper }: RangeQuery): boolean {
  if (lower === undefined || upper === undefined) return false;
  return lower.inclusive && upper.inclusive && lower.value === upper.value;
}

/**
 * What is left to see where terms are marked wherever they stand. Beside a phrase Lucene knows the words that it has read
 * from the query, and the patterns: not what a pattern for one term is, nor the words below a `function_score`.
 */
export function seenByTerms<W extends Wanted>(wanted: readonly W[]): readonly W[] {
  const isPhrase = ({ places, endsInPrefix, isLoose }: Wanted) =>
    isLoose !== true && (places.length > 1 || endsInPrefix === true);
  if (!wanted.some(isPhrase)) return wanted;
  return wanted.flatMap((one) => {
    if (one.isLiteral === true) return [];
    if (one.isLoose !== true) return [one];
    const places = one.places.filter(({ isPattern }) => isPattern === true);
    return places.length === 0 ? [] : [{ ...one, places }];
  });
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
  const places = tokens.terms.map((wanted, i) => {
    const offset = tokens.positions[i] ?? 0;
    if (hasPrefix && i === tokens.terms.length - 1)
      return { offset, accepts: (term: string) => term.startsWith(wanted), isPattern: true };
    if (fuzziness === undefined || !('fuzzyTranspositions' in query))
      return { offset, accepts: (term: string) => term === wanted };
    const options = { ...query, fuzziness, transpositions: query.fuzzyTranspositions };
    return { offset, accepts: fuzzyTest(wanted, options), isPattern: true };
  });
  if (isPhrase) {
    const endsInPrefix = query.kind === 'match_phrase_prefix';
    return places.length === 0
      ? []
      : [{ field: field.name, places, slop: query.slop, endsInPrefix }];
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
  analyzerOf(analyzer ?? field.searchAnalyzer)(text, tokens, 0);
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
