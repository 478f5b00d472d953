import { type JsonValue, lowerCase } from '@millrace/language';
import { coerceTerm } from '../../coerce/coerceTerm.js';
import { matchNone } from '../../bind/matchNone.js';
import type { QueryBinder } from '../../bind/QueryBinder.js';
import { invalid } from '../../errors.js';
import type { CompiledField } from '../../mapping/CompiledMapping.js';
import { quote } from '../../show.js';
import type * as tree from '../../tree/Query.js';
import { Options } from '../Options.js';
import { AUTO_FUZZINESS, parseFuzziness } from '../parseFuzziness.js';
import { longForm, readBase, readFieldEntry } from '../queryBase.js';
import type { Binders } from '../queryBinders.js';
import type { Parsers } from '../queryParsers.js';
import { firstScalar, readTermValue, shortValue } from '../termValue.js';
import { compileRegexp } from '../../coerce/compileRegexp.js';

const MAX_REGEXP_LENGTH = 1000;

function parsePrefix(value: JsonValue | undefined, path: string): tree.PrefixQuery {
  const entry = readFieldEntry(value, path, 'prefix');
  const read = readTermValue(entry, 'prefix', ['value']);
  return { kind: 'prefix', field: entry.field, ...read, value: String(read.value) };
}

function parseWildcard(value: JsonValue | undefined, path: string): tree.WildcardQuery {
  const entry = readFieldEntry(value, path, 'wildcard');
  const read = readTermValue(entry, 'wildcard', ['value', 'wildcard']);
  return { kind: 'wildcard', field: entry.field, ...read, value: String(read.value) };
}

function parseRegexp(value: JsonValue | undefined, path: string): tree.RegexpQuery {
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

function parseFuzzy(value: JsonValue | undefined, path: string): tree.FuzzyQuery {
  const entry = readFieldEntry(value, path, 'fuzzy');
  const options = longForm(entry, 'fuzzy') ?? new Options({ value: shortValue(entry, 'fuzzy') }, entry.path, 'fuzzy');
  const base = readBase(options, entry.base);
  const fuzziness = options.raw('fuzziness');
  const query: tree.FuzzyQuery = {
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

/** The queries that find terms by a pattern or by similarity. */
export const PATTERN_PARSERS: Parsers = {
  prefix: parsePrefix,
  wildcard: parseWildcard,
  regexp: parseRegexp,
  fuzzy: parseFuzzy,
};

export const PATTERN_BINDERS: Binders<'prefix' | 'wildcard' | 'regexp' | 'fuzzy'> = {
  prefix: bindPattern,
  wildcard: bindPattern,
  regexp(query, binder) {
    const mapped = patternField(query, binder);
    const value = mapped === undefined ? query.value : normalized(mapped, query.value);
    const accepts = compileRegexp(value, query);
    return mapped === undefined ? matchNone(query) : { ...query, mapped, accepts };
  },
  fuzzy(query, binder) {
    const mapped = patternField(query, binder);
    return mapped === undefined ? matchNone(query) : bindFuzzy(query, mapped);
  },
};

function bindPattern(
  query: tree.PrefixQuery | tree.WildcardQuery,
  binder: QueryBinder,
): tree.BoundPrefix | tree.BoundWildcard | tree.MatchNoneQuery {
  const mapped = patternField(query, binder);
  if (mapped === undefined) return matchNone(query);
  return { ...query, field: mapped.name, mapped, value: normalized(mapped, query.value) };
}

/** Without edits it is a `term`. */
export function bindFuzzy(query: tree.FuzzyQuery, mapped: CompiledField): tree.BoundFuzzy | tree.BoundTerm {
  const { fuzziness, field, value, boost, path } = query;
  if (fuzziness.kind === 'auto' || fuzziness.edits > 0)
    return { ...query, mapped, value: normalized(mapped, String(value)) };
  const term = coerceTerm(mapped, value, path);
  return { kind: 'term', field, value, caseInsensitive: false, boost, path, mapped, term };
}

function patternField(
  query: tree.PrefixQuery | tree.WildcardQuery | tree.RegexpQuery | tree.FuzzyQuery,
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
