import { type JsonScalar, type JsonValue, lowerCase } from '@millrace/language';
import { compileRegexp } from '../coerce/compileRegexp.js';
import { coerceTerm } from '../coerce/coerceTerm.js';
import { matchNone } from './matchNone.js';
import type { QueryBinder } from './QueryBinder.js';
import { invalid } from '../errors.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import { quote } from '../show.js';
import { Options } from '../parse/Options.js';
import { AUTO_FUZZINESS, parseFuzziness, type Fuzziness } from '../parse/parseFuzziness.js';
import { longForm, readBase, readFieldEntry } from '../parse/queryBase.js';
import { firstScalar, readTermValue, shortValue } from '../parse/termValue.js';
import type { BoundTerm, ComparesValues, MatchNoneQuery, OnField, QueryBase } from '../tree/Query.js';
import { limitedTerms, ONE_FIELD, type QueryKinds } from './QueryKind.js';

/** Terms with a prefix. */
export interface PrefixQuery extends QueryBase, ComparesValues {
  readonly kind: 'prefix';
  readonly field: string;
  readonly value: string;
  readonly caseInsensitive: boolean;
}
/** Terms that match a pattern. */
export interface WildcardQuery extends QueryBase {
  readonly kind: 'wildcard';
  readonly field: string;
  /** `?` one, `*` any characters, `\` makes the next one literal. */
  readonly value: string;
  readonly caseInsensitive: boolean;
}
/** Terms that match a regular expression. */
export interface RegexpQuery extends QueryBase {
  readonly kind: 'regexp';
  readonly field: string;
  /** Lucene syntax, anchored at both ends, ≤ 1,000 characters. */
  readonly value: string;
  readonly caseInsensitive: boolean;
  /** `ALL`, `NONE` or flags joined by `|`, as given (upper case). */
  readonly flags: string;
}
/** A regular expression, compiled. */
export interface BoundRegexp extends RegexpQuery, OnField {
  /** Tests a whole term. */
  readonly accepts: (term: string) => boolean;
}
/** Values of bound patterns are normalized as the terms of the field are. */
export type BoundPrefix = PrefixQuery & OnField;
/** See `BoundPrefix`. */
export type BoundWildcard = WildcardQuery & OnField;
/** Terms within a few edits. */
export interface FuzzyQuery extends QueryBase {
  readonly kind: 'fuzzy';
  readonly field: string;
  readonly value: JsonScalar;
  readonly fuzziness: Fuzziness;
  readonly prefixLength: number;
  readonly maxExpansions: number;
  readonly transpositions: boolean;
}
/** A `fuzzy` with at least one edit; one without is bound as `term`. */
export type BoundFuzzy = FuzzyQuery & OnField;

const MAX_REGEXP_LENGTH = 1000;

function readPattern(value: JsonValue | undefined, path: string, construct: string, keys: readonly string[]) {
  const entry = readFieldEntry(value, path, construct);
  const read = readTermValue(entry, construct, keys);
  return { field: entry.field, ...read, value: String(read.value) };
}

function parseRegexp(value: JsonValue | undefined, path: string): RegexpQuery {
  const entry = readFieldEntry(value, path, 'regexp');
  const options = longForm(entry, 'regexp');
  let base = entry.base;
  let pattern: string;
  let caseInsensitive = false;
  let flags = 'ALL';
  if (options === undefined) pattern = String(shortValue(entry, 'regexp'));
  else {
    base = readBase(options, base);
    caseInsensitive = options.boolean('case_insensitive') ?? false;
    flags = readFlags(options) ?? flags;
    options.number('max_determinized_states', { min: 1 });
    pattern = String(firstScalar(options, ['value']));
    options.end();
  }
  if (pattern.length > MAX_REGEXP_LENGTH) {
    throw invalid(path, `regexp at ${path} is longer than ${MAX_REGEXP_LENGTH} characters`);
  }
  return { kind: 'regexp', field: entry.field, value: pattern, caseInsensitive, flags, ...base };
}

const REGEXP_FLAGS = /^(ALL|NONE|EMPTY|COMPLEMENT|INTERVAL|INTERSECTION|ANYSTRING)$/;

function readFlags(options: Options): string | undefined {
  const flags = options.text('flags')?.toUpperCase();
  if (flags === undefined || flags === '') return undefined;
  if (!flags.split('|').every((flag) => REGEXP_FLAGS.test(flag.trim()))) {
    options.fail('flags', 'ALL, NONE or some of EMPTY, COMPLEMENT, INTERVAL, INTERSECTION, ANYSTRING joined by |');
  }
  return flags;
}

function parseFuzzy(value: JsonValue | undefined, path: string): FuzzyQuery {
  const entry = readFieldEntry(value, path, 'fuzzy');
  const options = longForm(entry, 'fuzzy') ?? new Options({ value: shortValue(entry, 'fuzzy') }, entry.path, 'fuzzy');
  const base = readBase(options, entry.base);
  const fuzziness = options.raw('fuzziness');
  const query: FuzzyQuery = {
    kind: 'fuzzy',
    field: entry.field,
    value: firstScalar(options, ['value', 'term']),
    fuzziness: fuzziness === undefined ? AUTO_FUZZINESS : parseFuzziness(fuzziness, `${entry.path}.fuzziness`),
    prefixLength: options.number('prefix_length', { min: 0, isInteger: true }) ?? 0,
    maxExpansions: options.number('max_expansions', { min: 1, isInteger: true }) ?? 50,
    transpositions: options.boolean('transpositions') ?? true,
    ...base,
  };
  options.end();
  return query;
}

/** Number of lookups to which a pattern is equal that is tried on every term. */
const PATTERN = 10;
const ORDINARY_EXPANSIONS = 50;
const MAX_FUZZY_LENGTH = 1_000;

/** The queries that find terms by a pattern or by similarity. */
export const PATTERN_KINDS: QueryKinds<'prefix' | 'wildcard' | 'regexp' | 'fuzzy'> = {
  prefix: {
    ...ONE_FIELD,
    parse: (value, path) => ({ kind: 'prefix', ...readPattern(value, path, 'prefix', ['value']) }),
    bind: bindPattern,
    lookups: patternLookups,
    isScan: ({ caseInsensitive }) => caseInsensitive,
    isUnscored: () => true,
  },
  wildcard: {
    ...ONE_FIELD,
    parse: (value, path) => ({ kind: 'wildcard', ...readPattern(value, path, 'wildcard', ['value', 'wildcard']) }),
    bind: bindPattern,
    lookups: patternLookups,
    isScan: ({ caseInsensitive, value }) => caseInsensitive || /^[*?]/.test(value),
    isUnscored: () => true,
  },
  regexp: {
    ...ONE_FIELD,
    parse: parseRegexp,
    bind(query, binder) {
      const mapped = patternField(query, binder);
      const value = mapped === undefined ? query.value : normalized(mapped, query.value);
      const accepts = compileRegexp(value, query);
      return mapped === undefined ? matchNone(query) : { ...query, mapped, accepts };
    },
    lookups: patternLookups,
    isScan: () => true,
    isUnscored: () => true,
  },
  fuzzy: {
    ...ONE_FIELD,
    parse: parseFuzzy,
    bind(query, binder) {
      const mapped = patternField(query, binder);
      return mapped === undefined ? matchNone(query) : bindFuzzy(query, mapped);
    },
    lookups: (query) => expansionLookups(query) + String(query.value).length / 10,
    assertEndable: ({ value, path }) => {
      assertFuzzyLength(String(value), path);
    },
    whyUndecidable: (query) => limitedTerms('fuzzy', query),
    isScan: () => true,
  },
};

function patternLookups({ value }: { readonly value: string }): number {
  return PATTERN + value.length / 10;
}

/** Number of lookups to which the search for similar terms is equal. */
export function expansionLookups({ maxExpansions }: { readonly maxExpansions: number }): number {
  return PATTERN * Math.max(1, maxExpansions / ORDINARY_EXPANSIONS);
}

/** @throws QueryError for a word that is too long to search for similar ones */
export function assertFuzzyLength(word: string, path: string): void {
  if (word.length <= MAX_FUZZY_LENGTH) return;
  const what = `A word to find similar ones for may have ${MAX_FUZZY_LENGTH} characters`;
  throw invalid(path, `${what}, not ${word.length} (at ${path})`);
}

function bindPattern(
  query: PrefixQuery | WildcardQuery,
  binder: QueryBinder,
): BoundPrefix | BoundWildcard | MatchNoneQuery {
  const mapped = patternField(query, binder);
  if (mapped === undefined) return matchNone(query);
  return { ...query, field: mapped.name, mapped, value: normalized(mapped, query.value) };
}

/** Without edits it is a `term`. */
export function bindFuzzy(query: FuzzyQuery, mapped: CompiledField): BoundFuzzy | BoundTerm {
  const { fuzziness, field, value, boost, path } = query;
  if (fuzziness.kind === 'auto' || fuzziness.edits > 0)
    return { ...query, mapped, value: normalized(mapped, String(value)) };
  const term = coerceTerm(mapped, value, path);
  return { kind: 'term', field, value, caseInsensitive: false, boost, path, mapped, term };
}

function patternField(
  query: PrefixQuery | WildcardQuery | RegexpQuery | FuzzyQuery,
  binder: QueryBinder,
): CompiledField | undefined {
  const { kind, path } = query;
  const mapped = binder.comparedField(query);
  if (mapped === undefined || mapped.type === 'text' || mapped.type === 'keyword') return mapped;
  throw invalid(path, `${kind} at ${path} needs a text or keyword field; ${quote(mapped.name)} is ${mapped.type}`);
}

// The terms of a field with the normalizer "lowercase" are lower case, so the pattern has to be.
function normalized(field: CompiledField, text: string): string {
  return field.isLowerCased ? lowerCase(text) : text;
}
