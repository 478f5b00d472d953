import {
  isJsonObject,
  isJsonScalar,
  isTimeZone,
  type JsonScalar,
  type JsonValue,
} from '@millrace/language';
import { forbidden, invalid } from '../../errors.js';
import { present } from '../../present.js';
import { quote, show } from '../../show.js';
import type * as tree from '../../tree/Query.js';
import { checkFieldName } from '../checkFieldName.js';
import { Options } from '../Options.js';
import { AUTO_FUZZINESS, parseFuzziness } from '../parseFuzziness.js';
import { type FieldEntry, longForm, readBase, readFieldEntry } from '../queryBase.js';
import { readDateFormat } from '../readDateFormat.js';

const MAX_TERMS = 65_536;
const MAX_REGEXP_LENGTH = 1000;

export function parseMatchAll(value: JsonValue | undefined, path: string): tree.MatchAllQuery {
  const options = Options.from(value, path, 'match_all');
  const base = readBase(options);
  options.end();
  return { kind: 'match_all', ...base };
}

export function parseMatchNone(value: JsonValue | undefined, path: string): tree.MatchNoneQuery {
  const options = Options.from(value, path, 'match_none');
  const base = readBase(options);
  options.end();
  return { kind: 'match_none', ...base };
}

export function parseTerm(value: JsonValue | undefined, path: string): tree.TermQuery {
  const entry = readFieldEntry(value, path, 'term', { allowed: '_id' });
  return { kind: 'term', field: entry.field, ...readTermValue(entry, 'term', ['value', 'term']) };
}

export function parsePrefix(value: JsonValue | undefined, path: string): tree.PrefixQuery {
  const entry = readFieldEntry(value, path, 'prefix');
  const read = readTermValue(entry, 'prefix', ['value']);
  return { kind: 'prefix', field: entry.field, ...read, value: String(read.value) };
}

export function parseWildcard(value: JsonValue | undefined, path: string): tree.WildcardQuery {
  const entry = readFieldEntry(value, path, 'wildcard');
  const read = readTermValue(entry, 'wildcard', ['value', 'wildcard']);
  return { kind: 'wildcard', field: entry.field, ...read, value: String(read.value) };
}

type TermValue = tree.QueryBase & {
  readonly value: JsonScalar;
  readonly caseInsensitive: boolean;
};

function readTermValue(entry: FieldEntry, construct: string, keys: readonly string[]): TermValue {
  const options = longForm(entry, construct);
  if (options === undefined) {
    return { ...entry.base, value: shortValue(entry, construct), caseInsensitive: false };
  }
  const base = readBase(options, entry.base);
  const caseInsensitive = options.boolean('case_insensitive') ?? false;
  const value = firstScalar(options, keys);
  options.end();
  return { ...base, value, caseInsensitive };
}

function shortValue(entry: FieldEntry, construct: string): JsonScalar {
  if (isJsonScalar(entry.value)) return entry.value;
  throw invalid(
    entry.path,
    `${construct} on ${quote(entry.field)} at ${entry.base.path} needs one value, not ${show(entry.value)}`,
  );
}

function firstScalar(options: Options, keys: readonly string[]): JsonScalar {
  let found: JsonScalar | undefined;
  for (const key of keys) found ??= options.scalar(key);
  return found ?? options.fail(keys[0] ?? 'value', 'a string, number or boolean');
}

export function parseTerms(value: JsonValue | undefined, path: string): tree.TermsQuery {
  const entry = readFieldEntry(value, path, 'terms', { allowed: '_id' });
  if (isJsonObject(entry.value)) {
    throw forbidden(
      entry.path,
      `Lookup of terms in another document is not allowed at ${entry.path}`,
    );
  }
  if (!Array.isArray(entry.value)) {
    throw invalid(entry.path, `terms at ${entry.path} must be a list, not ${show(entry.value)}`);
  }
  const list: readonly JsonValue[] = entry.value;
  if (list.length > MAX_TERMS) {
    throw invalid(
      entry.path,
      `terms at ${entry.path} has ${list.length} values; ${MAX_TERMS} are allowed`,
    );
  }
  const values = list.map((item, position) => {
    if (isJsonScalar(item)) return item;
    const place = `${entry.path}[${position}]`;
    throw invalid(
      place,
      `Value at ${place} must be a string, number or boolean, not ${show(item)}`,
    );
  });
  return { kind: 'terms', field: entry.field, values, ...entry.base };
}

const RANGE_RELATIONS = ['intersects', 'contains', 'within'] as const;

export function parseRange(value: JsonValue | undefined, path: string): tree.RangeQuery {
  const entry = readFieldEntry(value, path, 'range');
  const options = Options.from(entry.value, entry.path, 'range');
  const base = readBase(options, entry.base);
  options.choice('relation', RANGE_RELATIONS);
  const format = readDateFormat(options);
  const timeZone = readTimeZone(options);
  const lower = readBound(options, ['gt', 'gte', 'from'], 'include_lower');
  const upper = readBound(options, ['lt', 'lte', 'to'], 'include_upper');
  options.end();
  return {
    kind: 'range',
    field: entry.field,
    ...base,
    ...present({ lower, upper, format, timeZone }),
  };
}

/** `time_zone`, checked. */
export function readTimeZone(options: Options): string | undefined {
  const timeZone = options.text('time_zone');
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    options.fail('time_zone', 'an offset such as +01:00 or a name such as Europe/Paris');
  }
  return timeZone;
}

/** Of several keys for the same side the last one counts, as in Elasticsearch. */
function readBound(
  options: Options,
  keys: readonly [string, string, string],
  includeKey: string,
): tree.RangeBound | undefined {
  const include = options.boolean(includeKey);
  let bound: tree.RangeBound | undefined;
  for (const key of Object.keys(options.source)) {
    if (!keys.includes(key)) continue;
    const value = options.scalar(key);
    if (value !== undefined) {
      bound = { value, inclusive: key === keys[2] ? (include ?? true) : key === keys[1] };
    }
  }
  options.drop(...keys);
  return bound;
}

export function parseExists(value: JsonValue | undefined, path: string): tree.ExistsQuery {
  const options = Options.from(value, path, 'exists');
  const base = readBase(options);
  const field = options.looseText('field') ?? options.fail('field', 'a field name');
  options.end();
  return { kind: 'exists', field: checkFieldName(field, path), ...base };
}

export function parseIds(value: JsonValue | undefined, path: string): tree.IdsQuery {
  const options = Options.from(value, path, 'ids');
  const base = readBase(options);
  options.drop('type');
  const given = options.raw('values') ?? options.fail('values', 'a string or a list of strings');
  options.end();
  const list: readonly JsonValue[] = Array.isArray(given) ? given : [given];
  if (list.length > MAX_TERMS)
    throw invalid(path, `ids at ${path} has more than ${MAX_TERMS} values`);
  const values = list.map((item) =>
    typeof item === 'string' || typeof item === 'number'
      ? String(item)
      : options.fail('values', 'a string or a list of strings'),
  );
  return { kind: 'ids', values, ...base };
}

export function parseRegexp(value: JsonValue | undefined, path: string): tree.RegexpQuery {
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
    options.fail(
      'flags',
      'ALL, NONE or some of EMPTY, COMPLEMENT, INTERVAL, INTERSECTION, ANYSTRING joined by |',
    );
  }
  return flags;
}

export function parseFuzzy(value: JsonValue | undefined, path: string): tree.FuzzyQuery {
  const entry = readFieldEntry(value, path, 'fuzzy');
  const options =
    longForm(entry, 'fuzzy') ??
    new Options({ value: shortValue(entry, 'fuzzy') }, entry.path, 'fuzzy');
  const base = readBase(options, entry.base);
  const fuzziness = options.raw('fuzziness');
  const query: tree.FuzzyQuery = {
    kind: 'fuzzy',
    field: entry.field,
    value: firstScalar(options, ['value', 'term']),
    fuzziness:
      fuzziness === undefined
        ? AUTO_FUZZINESS
        : parseFuzziness(fuzziness, `${entry.path}.fuzziness`),
    prefixLength: options.number('prefix_length', { min: 0, isInteger: true }) ?? 0,
    maxExpansions: options.number('max_expansions', { min: 1, isInteger: true }) ?? 50,
    transpositions: options.boolean('transpositions') ?? true,
    ...base,
  };
  options.end();
  return query;
}
