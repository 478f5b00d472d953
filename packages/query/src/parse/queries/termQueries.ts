import { isJsonObject, isJsonScalar, isTimeZone, type JsonScalar, type JsonValue } from '@millrace/language';
import { matchNone } from '../../bind/matchNone.js';
import { coerceHeldTerm } from '../../coerce/coerceHeldTerm.js';
import { coerceRange, type CoercedRange } from '../../coerce/coerceRange.js';
import { forbidden, invalid, QueryError } from '../../errors.js';
import type { CompiledField } from '../../mapping/CompiledMapping.js';
import { canExist, resolveExists } from '../../mapping/resolveField.js';
import { present } from '../../present.js';
import { quote, show } from '../../show.js';
import type * as tree from '../../tree/Query.js';
import { checkFieldName } from '../checkFieldName.js';
import { Options } from '../Options.js';
import { readBase, readFieldEntry } from '../queryBase.js';
import type { Binders } from '../queryBinders.js';
import type { Parsers } from '../queryParsers.js';
import { readDateFormat } from '../readDateFormat.js';
import { readTermValue } from '../termValue.js';

const MAX_TERMS = 65_536;

function parseMatchAll(value: JsonValue | undefined, path: string): tree.MatchAllQuery {
  const options = Options.from(value, path, 'match_all');
  const base = readBase(options);
  options.end();
  return { kind: 'match_all', ...base };
}

function parseMatchNone(value: JsonValue | undefined, path: string): tree.MatchNoneQuery {
  const options = Options.from(value, path, 'match_none');
  const base = readBase(options);
  options.end();
  return { kind: 'match_none', ...base };
}

function parseTerm(value: JsonValue | undefined, path: string): tree.TermQuery {
  const entry = readFieldEntry(value, path, 'term', { allowed: '_id' });
  return { kind: 'term', field: entry.field, ...readTermValue(entry, 'term', ['value', 'term']) };
}

function parseTerms(value: JsonValue | undefined, path: string): tree.TermsQuery {
  const entry = readFieldEntry(value, path, 'terms', { allowed: '_id' });
  if (isJsonObject(entry.value)) {
    throw forbidden(entry.path, `Lookup of terms in another document is not allowed at ${entry.path}`);
  }
  if (!Array.isArray(entry.value)) {
    throw invalid(entry.path, `terms at ${entry.path} must be a list, not ${show(entry.value)}`);
  }
  const list: readonly JsonValue[] = entry.value;
  if (list.length > MAX_TERMS) {
    throw invalid(entry.path, `terms at ${entry.path} has ${list.length} values; ${MAX_TERMS} are allowed`);
  }
  const values = list.map((item, position) => {
    if (isJsonScalar(item)) return item;
    const place = `${entry.path}[${position}]`;
    throw invalid(place, `Value at ${place} must be a string, number or boolean, not ${show(item)}`);
  });
  return { kind: 'terms', field: entry.field, values, ...entry.base };
}

const RANGE_RELATIONS = ['intersects', 'contains', 'within'] as const;

function parseRange(value: JsonValue | undefined, path: string): tree.RangeQuery {
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

function parseExists(value: JsonValue | undefined, path: string): tree.ExistsQuery {
  const options = Options.from(value, path, 'exists');
  const base = readBase(options);
  const field = options.looseText('field') ?? options.fail('field', 'a field name');
  options.end();
  return { kind: 'exists', field: checkFieldName(field, path), ...base };
}

function parseIds(value: JsonValue | undefined, path: string): tree.IdsQuery {
  const options = Options.from(value, path, 'ids');
  const base = readBase(options);
  options.drop('type');
  const given = options.raw('values') ?? options.fail('values', 'a string or a list of strings');
  options.end();
  const list: readonly JsonValue[] = Array.isArray(given) ? given : [given];
  if (list.length > MAX_TERMS) throw invalid(path, `ids at ${path} has more than ${MAX_TERMS} values`);
  const values = list.map((item) =>
    typeof item === 'string' || typeof item === 'number'
      ? String(item)
      : options.fail('values', 'a string or a list of strings'),
  );
  return { kind: 'ids', values, ...base };
}

/** The queries by exact values. */
export const TERM_PARSERS: Parsers = {
  match_all: parseMatchAll,
  match_none: parseMatchNone,
  term: parseTerm,
  terms: parseTerms,
  in: parseTerms,
  range: parseRange,
  exists: parseExists,
  ids: parseIds,
};

export const TERM_BINDERS: Binders<'match_all' | 'match_none' | 'term' | 'terms' | 'range' | 'exists' | 'ids'> = {
  match_all: (query) => query,
  match_none: (query) => query,
  ids: (query) => query,
  term(query, binder) {
    const { field, value, caseInsensitive, path } = query;
    if (field === '_id') return byId(query, [value]);
    const mapped = binder.comparedField(query);
    if (mapped === undefined) return matchNone(query);
    const term = coerceHeldTerm(mapped, value, path, binder.binding.nowMs);
    if (caseInsensitive && !CASED.has(mapped.type)) {
      throw invalid(
        path,
        `case_insensitive at ${path} needs a text, keyword or boolean field; ${quote(field)} is ${mapped.type}`,
      );
    }
    return { ...query, field: mapped.name, mapped, term };
  },
  terms(query, binder) {
    const { field, values, path } = query;
    if (field === '_id') return byId(query, values);
    const mapped = binder.comparedField(query);
    if (mapped === undefined) return matchNone(query);
    const { nowMs } = binder.binding;
    const terms = values.map((value) => coerceHeldTerm(mapped, value, path, nowMs));
    return { ...query, field: mapped.name, mapped, terms };
  },
  range(query, binder) {
    const { field, boost, path, lower, upper } = query;
    const mapped = binder.comparedField(query);
    if (mapped === undefined) return matchNone(query);
    const range = readRange(query, mapped, binder.binding.nowMs);
    if (range === undefined) return matchNone(query);
    if (lower !== undefined || upper !== undefined) return { ...query, field: mapped.name, mapped, range };
    return binder.bind({ kind: 'exists', field, boost, path });
  },
  exists(query, binder) {
    const fields = resolveExists(binder.compiled, query.field).filter(canExist);
    return fields.length === 0 ? matchNone(query) : { ...query, fields };
  },
};

/** Types indexed as string terms, which can be compared ignoring case. */
const CASED: ReadonlySet<string> = new Set(['text', 'keyword', 'boolean']);

function byId(query: tree.QueryBase, values: readonly JsonScalar[]): tree.IdsQuery {
  const { boost, name, path } = query;
  return { kind: 'ids', values: values.map(String), boost, path, ...present({ name }) };
}

/** Undefined if a bound doesn't fit the field and the query is lenient. */
function readRange(query: tree.RangeQuery, mapped: CompiledField, nowMs: number): CoercedRange | undefined {
  try {
    return coerceRange(mapped, query, nowMs);
  } catch (error) {
    if (query.lenient === true && error instanceof QueryError) return undefined;
    throw error;
  }
}
