/*
 * Prefixes, wildcards and regular expressions of a query in text, on one field. Under an analyzer of its own a server puts
 * some of them to the terms as they stand in the index instead of asking the field: no field refuses them then, though
 * only words, and booleans as `T` and `F`, are terms there.
 */
import { analyzerOf, wordsOf } from '../analysis/wordsOf.js';
import { coerceTerm } from '../coerce/coerceTerm.js';
import { lowerCase } from '../document/lowerCase.js';
import { invalid, QueryError } from '../errors.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import { MAX_CLAUSE_COUNT } from '../parse/QueryParser.js';
import { compileRegexp } from '../regexp/compileRegexp.js';
import type * as tree from '../tree/Query.js';
import type { LuceneLeaf } from './LuceneNode.js';

type PatternLeaf = Extract<LuceneLeaf, { kind: 'prefix' | 'wildcard' | 'regexp' }>;
type TermTest = (term: string) => boolean;

/** The query in text around a pattern. */
export type PatternOptions = Pick<
  tree.LuceneQueryBase,
  'analyzer' | 'analyzesWildcard' | 'lenient' | 'defaultOperator' | 'path'
> & { readonly kind: 'query_string' | 'simple_query_string' };

/** One pattern on one field that is mapped. What the field refuses is left to be refused, where nothing forgives it. */
export function writePattern(
  leaf: PatternLeaf,
  field: CompiledField,
  boost: number,
  options: PatternOptions,
): tree.Query {
  switch (leaf.kind) {
    case 'prefix':
      return writePrefix(leaf.text, field, boost, options);
    case 'wildcard': {
      const { analyzer, analyzesWildcard } = options;
      const isRaw = analyzer !== undefined && analyzesWildcard;
      const value = isRaw ? analysed(field, analyzer, leaf.pattern) : normalise(field, analyzer, leaf.pattern); // prettier-ignore
      return writeTerms('wildcard', value, field, boost, options, isRaw);
    }
    case 'regexp': {
      const { analyzer, lenient, path } = options;
      const value = analysed(field, analyzer, leaf.pattern);
      if (lenient && !isTaken(() => testOf('regexp', value, path)))
        return { kind: 'match_none', boost, path };
      return writeTerms('regexp', value, field, boost, options, analyzer !== undefined);
    }
  }
}

/** True for the fields of which `query_string` finds nothing by a prefix, an edit or a range, and refuses neither. */
export function hasNoTexts({ type }: CompiledField): boolean {
  return type === 'geo_point' || type === 'geo_shape' || type === 'binary';
}

function writePrefix(
  text: string,
  field: CompiledField,
  boost: number,
  options: PatternOptions,
): tree.Query {
  const { kind, analyzer, analyzesWildcard, path } = options;
  const isSimple = kind === 'simple_query_string';
  if (!isSimple && hasNoTexts(field)) return { kind: 'match_none', boost, path };
  if (analyzesWildcard && (isSimple || field.type === 'text'))
    return writeWords(text, field, boost, options);
  const given = isSimple ? analysed(field, analyzer, text) : text;
  return writeTerms('prefix', normalise(field, analyzer, given), field, boost, options, false);
}

/** The words of an analysed prefix, of which the last one is it. */
function writeWords(
  text: string,
  field: CompiledField,
  boost: number,
  options: PatternOptions,
): tree.Query {
  const { kind, path, defaultOperator } = options;
  const analyzer = options.analyzer ?? (field.type === 'text' ? field.searchAnalyzer : 'keyword');
  const isRaw =
    kind === 'simple_query_string' && !(hasNoTexts(field) && options.analyzer === undefined);
  const given = options.analyzer === undefined ? normalise(field, analyzer, text) : text;
  const words = wordsOf(analyzerOf(field, analyzer), given);
  if (words.length > MAX_CLAUSE_COUNT)
    throw invalid(path, `A prefix at ${path} has more than ${MAX_CLAUSE_COUNT} words`);
  const none: tree.Query = { kind: 'match_none', boost, path };
  const last = words.terms.pop();
  if (last === undefined) return none;
  const prefix = writeTerms('prefix', last, field, 1, options, isRaw);
  if (words.terms.length === 0) return { ...prefix, boost };
  const terms = words.terms.map((value): tree.TermQuery => {
    return { kind: 'term', field: field.name, value, caseInsensitive: false, boost: 1, path };
  });
  if (options.lenient && terms.some(({ value }) => !isTaken(() => coerceTerm(field, value, path))))
    return none;
  const queries = [...terms, prefix];
  const isAnd = defaultOperator === 'and';
  return {
    kind: 'bool',
    must: isAnd ? queries : [],
    filter: [],
    should: isAnd ? [] : queries,
    mustNot: [],
    minimumShouldMatch: isAnd ? 0 : 1,
    boost,
    path,
  };
}

/** @param isRaw put to the terms of the index, whatever the field is */
function writeTerms(
  kind: PatternLeaf['kind'],
  value: string,
  field: CompiledField,
  boost: number,
  { lenient, path }: PatternOptions,
  isRaw: boolean,
): tree.Query {
  const none: tree.Query = { kind: 'match_none', boost, path };
  const base = { field: field.name, value, caseInsensitive: false, boost, path };
  const isText = field.type === 'text' || field.type === 'keyword';
  if (!isText && isRaw) {
    const matches = testOf(kind, value, path);
    if (field.type !== 'boolean') return none;
    const values = [true, false].filter((flag) => matches(flag ? 'T' : 'F'));
    return values.length === 0 ? none : { kind: 'terms', field: field.name, values, boost, path };
  }
  if (!isText && lenient) return none;
  // Such a pattern has to have capitals of its own, where the terms have none.
  if (isRaw && kind !== 'regexp' && field.isLowerCased && lowerCase(value) !== value) return none;
  return kind === 'regexp' ? { kind, flags: 'ALL', ...base } : { kind, ...base };
}

/** @throws QueryError for a fault of syntax */
function testOf(kind: PatternLeaf['kind'], value: string, path: string): TermTest {
  switch (kind) {
    case 'prefix':
      return (term) => term.startsWith(value);
    case 'wildcard':
      return (letter) => fitsLetter(value, letter);
    case 'regexp':
      return compileRegexp(value, { flags: 'ALL', caseInsensitive: false, path });
  }
}

/** Whether a wildcard matches a single letter. */
function fitsLetter(pattern: string, letter: string): boolean {
  const signs = pattern.match(/\\?[^]/gu) ?? [];
  const [only, second] = signs.filter((sign) => sign !== '*');
  if (only === undefined) return signs.length > 0;
  return second === undefined && (only === '?' || only.replace(/^\\(?=[^])/, '') === letter);
}

/** Whether a value can be read as what a field holds. */
export function isTaken(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof QueryError) return false;
    throw error;
  }
}

/** As the analyzer of the query leaves a term, whatever the field is. */
export function analysed(field: CompiledField, analyzer: string | undefined, text: string): string {
  return analyzer === undefined ? text : analyzerOf(field, analyzer).normalize(text);
}

/** Term-level text as the field's analyzer would leave it without cutting: lower case, where it lowers case. */
export function normalise(
  field: CompiledField,
  analyzer: string | undefined,
  text: string,
): string {
  if (field.type === 'keyword') return field.isLowerCased ? lowerCase(text) : text;
  if (field.type !== 'text') return text;
  return analysed(field, analyzer ?? field.searchAnalyzer, text);
}
