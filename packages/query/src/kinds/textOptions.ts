/* The options that text queries share. */
import { isJsonScalar, type JsonScalar, type JsonValue } from '@millrace/language';
import { invalid } from '../errors.js';
import { Options } from '../parse/Options.js';
import { parseFuzziness, type Fuzziness } from '../parse/parseFuzziness.js';
import { parseMinimumShouldMatch, type MinimumShouldMatch } from '../parse/parseMinimumShouldMatch.js';
import { type FieldEntry, longForm, readFieldEntry } from '../parse/queryBase.js';
import { quote, show } from '../show.js';
import type { TermsAt } from './bindText.js';
import type { OnField, QueryBase } from '../tree/Query.js';

/** Properties shared by the analysed text queries. */
export interface TextQueryBase extends QueryBase {
  readonly field: string;
  /** Text to analyse; a number or boolean is kept for fields of other types. */
  readonly query: JsonScalar;
  /** Name of an analyzer instead of the field's search analyzer. */
  readonly analyzer?: string;
}
/** How text queries expand their terms to similar ones; without `fuzziness` they don't. */
export interface FuzzyTextOptions {
  readonly fuzziness?: Fuzziness;
  readonly prefixLength: number;
  readonly maxExpansions: number;
  readonly fuzzyTranspositions: boolean;
}
/**
 * The words of a text query on a field of type text, at least one. On fields of other types a text query is bound as
 * queries of its values.
 */
export interface OfWords extends OnField {
  readonly words: readonly TermsAt[];
}

export const OPERATORS = ['or', 'and'] as const;
export const ZERO_TERMS = ['none', 'all'] as const;

/** The field of a text query, and its options. */
export function openText(value: JsonValue | undefined, path: string, construct: string): [FieldEntry, Options] {
  const entry = readFieldEntry(value, path, construct);
  const options = longForm(entry, construct);
  if (options !== undefined) return [entry, options];
  if (isJsonScalar(entry.value)) return [entry, new Options({ query: entry.value }, entry.path, construct)];
  throw invalid(
    entry.path,
    `${construct} on ${quote(entry.field)} at ${entry.base.path} needs a string or an object with "query", not ${show(entry.value)}`,
  );
}

export function readQueryText(options: Options): JsonScalar {
  return options.scalar('query') ?? options.fail('query', 'a string, number or boolean');
}

export function readMinimumShouldMatch(options: Options): MinimumShouldMatch | undefined {
  const value = options.raw('minimum_should_match');
  return value === undefined ? undefined : parseMinimumShouldMatch(value, `${options.path}.minimum_should_match`);
}

export function readFuzzyOptions(options: Options): FuzzyTextOptions {
  const fuzziness = options.raw('fuzziness');
  return {
    prefixLength: options.number('prefix_length', { min: 0, isInteger: true }) ?? 0,
    maxExpansions: options.number('max_expansions', { min: 1, isInteger: true }) ?? 50,
    fuzzyTranspositions: options.boolean('fuzzy_transpositions') ?? true,
    ...(fuzziness === undefined ? {} : { fuzziness: parseFuzziness(fuzziness, `${options.path}.fuzziness`) }),
  };
}

/** Number of words, at least 1. */
export function wordCount(text: JsonScalar): number {
  return Math.max(
    1,
    String(text)
      .split(/[^\p{L}\p{N}]+/u)
      .filter(Boolean).length,
  );
}
