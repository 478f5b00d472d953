import { isJsonScalar, type JsonValue } from '@millrace/language';
import { invalid } from '../../errors.js';
import { present } from '../../present.js';
import { quote, show } from '../../show.js';
import type { MinimumShouldMatch } from '../../tree/MinimumShouldMatch.js';
import type * as tree from '../../tree/Query.js';
import { checkFieldName } from '../checkFieldName.js';
import { Options, toNumber } from '../Options.js';
import { parseFuzziness } from '../parseFuzziness.js';
import { parseMinimumShouldMatch } from '../parseMinimumShouldMatch.js';
import { type FieldEntry, longForm, readBase, readFieldEntry } from '../queryBase.js';
import type { Parsers } from '../queryParsers.js';

export const OPERATORS = ['or', 'and'] as const;
const ZERO_TERMS = ['none', 'all'] as const;

function fieldOptions(entry: FieldEntry, construct: string): Options {
  const options = longForm(entry, construct);
  if (options !== undefined) return options;
  if (!isJsonScalar(entry.value)) {
    throw invalid(
      entry.path,
      `${construct} on ${quote(entry.field)} at ${entry.base.path} needs a string or an object with "query", not ${show(entry.value)}`,
    );
  }
  return new Options({ query: entry.value }, entry.path, construct);
}

function readQueryText(options: Options): string | number | boolean {
  return options.scalar('query') ?? options.fail('query', 'a string, number or boolean');
}

/** The name of an analyzer. `QueryChecker` checks that it exists, as this depends on the mapping. */
export function readAnalyzer(options: Options, key = 'analyzer'): string | undefined {
  return options.text(key);
}

export function readMinimumShouldMatch(options: Options): MinimumShouldMatch | undefined {
  const value = options.raw('minimum_should_match');
  return value === undefined ? undefined : parseMinimumShouldMatch(value, `${options.path}.minimum_should_match`);
}

function readFuzzyOptions(options: Options): tree.FuzzyTextOptions {
  const fuzziness = options.raw('fuzziness');
  return {
    prefixLength: options.number('prefix_length', { min: 0, isInteger: true }) ?? 0,
    maxExpansions: options.number('max_expansions', { min: 1, isInteger: true }) ?? 50,
    fuzzyTranspositions: options.boolean('fuzzy_transpositions') ?? true,
    ...(fuzziness === undefined ? {} : { fuzziness: parseFuzziness(fuzziness, `${options.path}.fuzziness`) }),
  };
}

function parseMatch(value: JsonValue | undefined, path: string): tree.Query {
  const entry = readFieldEntry(value, path, 'match');
  const options = fieldOptions(entry, 'match');
  const type = options.choice('type', ['boolean', 'phrase', 'phrase_prefix']);
  if (type === 'phrase' || type === 'phrase_prefix') {
    // Options of a plain match didn't apply to phrases in the old form either.
    options.drop('operator', 'minimum_should_match', 'fuzziness', 'prefix_length', 'zero_terms_query');
    if (type === 'phrase') options.drop('max_expansions');
    return type === 'phrase' ? readPhrase(entry, options) : readPhrasePrefix(entry, options);
  }
  const query: tree.MatchQuery = {
    kind: 'match',
    field: entry.field,
    query: readQueryText(options),
    operator: options.choice('operator', OPERATORS) ?? 'or',
    lenient: options.boolean('lenient') ?? false,
    zeroTermsQuery: options.choice('zero_terms_query', ZERO_TERMS) ?? 'none',
    ...readFuzzyOptions(options),
    ...present({
      minimumShouldMatch: readMinimumShouldMatch(options),
      analyzer: readAnalyzer(options),
    }),
    ...readBase(options, entry.base),
  };
  options.end();
  return query;
}

function parseMatchPhrase(value: JsonValue | undefined, path: string): tree.Query {
  const entry = readFieldEntry(value, path, 'match_phrase');
  return readPhrase(entry, fieldOptions(entry, 'match_phrase'));
}

function readPhrase(entry: FieldEntry, options: Options): tree.MatchPhraseQuery {
  const query: tree.MatchPhraseQuery = {
    kind: 'match_phrase',
    ...readPhraseOptions(entry, options),
  };
  options.end();
  return query;
}

/** The common options of phrases and phrase prefixes. */
function readPhraseOptions(entry: FieldEntry, options: Options): Omit<tree.MatchPhraseQuery, 'kind'> {
  return {
    field: entry.field,
    query: readQueryText(options),
    slop: options.number('slop', { min: 0, isInteger: true }) ?? 0,
    zeroTermsQuery: options.choice('zero_terms_query', ZERO_TERMS) ?? 'none',
    lenient: false,
    ...present({ analyzer: readAnalyzer(options) }),
    ...readBase(options, entry.base),
  };
}

function parseMatchPhrasePrefix(value: JsonValue | undefined, path: string): tree.Query {
  const entry = readFieldEntry(value, path, 'match_phrase_prefix');
  return readPhrasePrefix(entry, fieldOptions(entry, 'match_phrase_prefix'));
}

function readPhrasePrefix(entry: FieldEntry, options: Options): tree.MatchPhrasePrefixQuery {
  const query: tree.MatchPhrasePrefixQuery = {
    kind: 'match_phrase_prefix',
    ...readPhraseOptions(entry, options),
    maxExpansions: options.number('max_expansions', { min: 1, isInteger: true }) ?? 50,
  };
  options.end();
  return query;
}

function parseMatchBoolPrefix(value: JsonValue | undefined, path: string): tree.Query {
  const entry = readFieldEntry(value, path, 'match_bool_prefix');
  const options = fieldOptions(entry, 'match_bool_prefix');
  const query: tree.MatchBoolPrefixQuery = {
    kind: 'match_bool_prefix',
    zeroTermsQuery: 'none',
    field: entry.field,
    query: readQueryText(options),
    operator: options.choice('operator', OPERATORS) ?? 'or',
    lenient: false,
    ...readFuzzyOptions(options),
    ...present({
      minimumShouldMatch: readMinimumShouldMatch(options),
      analyzer: readAnalyzer(options),
    }),
    ...readBase(options, entry.base),
  };
  options.end();
  return query;
}

export const MULTI_MATCH_TYPES = [
  'best_fields',
  'most_fields',
  'cross_fields',
  'phrase',
  'phrase_prefix',
  'bool_prefix',
] as const;

function parseMultiMatch(value: JsonValue | undefined, path: string): tree.MultiMatchQuery {
  const options = Options.from(value, path, 'multi_match');
  const type = options.choice('type', MULTI_MATCH_TYPES) ?? 'best_fields';
  if (options.has('fuzziness') && /^(cross_fields|phrase|phrase_prefix)$/.test(type)) {
    throw invalid(`${path}.fuzziness`, `fuzziness is not allowed for multi_match of type ${type} at ${path}`);
  }
  if (options.has('slop') && type === 'bool_prefix') {
    throw invalid(`${path}.slop`, `slop is not allowed for multi_match of type ${type} at ${path}`);
  }
  const fields = readWeightedFields(options);
  const query: tree.MultiMatchQuery = {
    kind: 'multi_match',
    query: readQueryText(options),
    fields,
    type,
    operator: options.choice('operator', OPERATORS) ?? 'or',
    slop: options.number('slop', { min: 0, isInteger: true }) ?? 0,
    lenient: options.boolean('lenient') ?? isAllFields(fields),
    zeroTermsQuery: options.choice('zero_terms_query', ZERO_TERMS) ?? 'none',
    ...readFuzzyOptions(options),
    ...present({
      tieBreaker: options.number('tie_breaker', { min: 0, max: 1 }),
      minimumShouldMatch: readMinimumShouldMatch(options),
      analyzer: readAnalyzer(options),
    }),
    ...readBase(options),
  };
  options.end();
  return query;
}

/** A search over all fields is lenient by default. */
export function isAllFields(fields: readonly tree.WeightedField[]): boolean {
  return fields.length === 0 || fields.some(({ field }) => field === '*');
}

/**
 * `fields`: names or patterns, each with an optional `^boost`. For a name that occurs twice the last boost counts.
 * @param onlyGiven true: a name without a boost keeps the boost of an earlier occurrence
 */
export function readWeightedFields(options: Options, onlyGiven = false): readonly tree.WeightedField[] {
  const texts = options.texts('fields') ?? [];
  const boosts = new Map<string, number>();
  for (const [position, text] of texts.entries()) {
    const { field, boost } = parseWeightedField(text, `${options.path}.fields[${position}]`);
    if (!onlyGiven || text.includes('^') || !boosts.has(field)) boosts.set(field, boost);
  }
  return [...boosts].map(([field, boost]) => ({ field, boost }));
}

export function parseWeightedField(text: string, path: string): tree.WeightedField {
  const caret = text.indexOf('^');
  const field = caret < 0 ? text : text.slice(0, caret);
  const boost = caret < 0 ? 1 : toNumber(text.slice(caret + 1));
  if (boost === undefined || boost < 0) {
    throw invalid(path, `Boost of field ${quote(text)} at ${path} must be a number ≥ 0`);
  }
  return { field: checkFieldName(field, path), boost };
}

/** The queries that analyse their text. */
export const TEXT_PARSERS: Parsers = {
  match: parseMatch,
  match_phrase: parseMatchPhrase,
  match_phrase_prefix: parseMatchPhrasePrefix,
  match_bool_prefix: parseMatchBoolPrefix,
  multi_match: parseMultiMatch,
};
