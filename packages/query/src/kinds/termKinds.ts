import { isJsonObject, isJsonScalar, isTimeZone, type JsonScalar, type JsonValue } from '@millrace/language';
import { matchNone } from './matchNone.js';
import { coerceHeldTerm, type CoercedTerm } from '../coerce/coerceTerm.js';
import { coerceRange, type CoercedRange } from '../coerce/coerceRange.js';
import { forbidden, invalid, QueryError } from '../errors.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import { canExist, resolveExists } from '../mapping/resolveFieldPattern.js';
import { present } from '../present.js';
import { quote, show } from '../show.js';
import { checkFieldName } from '../parse/checkFieldName.js';
import { Options } from '../parse/Options.js';
import { bodyParser, readBase, readFieldEntry } from '../parse/queryBase.js';
import { readDateFormat } from '../parse/readDateFormat.js';
import { readTermValue } from '../parse/termValue.js';
import type { ComparesValues, OnField, QueryBase } from '../tree/Query.js';
import { NO_FIELD, ONE_FIELD, STEADY, type QueryKinds } from './QueryKind.js';

/** Every document. */
export interface MatchAllQuery extends QueryBase {
  readonly kind: 'match_all';
}
/** No document. */
export interface MatchNoneQuery extends QueryBase {
  readonly kind: 'match_none';
}
/** One exact value. */
export interface TermQuery extends QueryBase, ComparesValues {
  readonly kind: 'term';
  readonly field: string;
  readonly value: JsonScalar;
  readonly caseInsensitive: boolean;
}
/** A `term` on a mapped field. */
export interface BoundTerm extends TermQuery, OnField {
  readonly term: CoercedTerm;
}
/** Any of several exact values, at most 65,536. */
export interface TermsQuery extends QueryBase, ComparesValues {
  readonly kind: 'terms';
  readonly field: string;
  readonly values: readonly JsonScalar[];
}
/** A `terms` on a mapped field. */
export interface BoundTerms extends TermsQuery, OnField {
  /** As long as `values`. */
  readonly terms: readonly CoercedTerm[];
}
/** One end of a range, as given. */
export interface RangeBound {
  readonly value: JsonScalar;
  readonly inclusive: boolean;
}
/** Values between two ends; as given. */
export interface RangeQuery extends QueryBase, ComparesValues {
  readonly kind: 'range';
  readonly field: string;
  readonly lower?: RangeBound;
  readonly upper?: RangeBound;
  /** Date format of the bounds; absent: the field's. */
  readonly format?: string;
  /** Offset or IANA name, already checked. */
  readonly timeZone?: string;
  /** A bound that doesn't fit the field matches nothing instead of failing (`query_string`). */
  readonly lenient?: boolean;
}
/** A `range` with at least one bound; one without is bound as `exists`. */
export interface BoundRange extends RangeQuery, OnField {
  readonly range: CoercedRange;
}
/** Documents that have an indexed value; see `BoundExists`. */
export interface ExistsQuery extends QueryBase {
  readonly kind: 'exists';
  /** May contain `*`. */
  readonly field: string;
}
/** An `exists` on at least one field. */
export interface BoundExists extends ExistsQuery {
  /** The fields that may have values. */
  readonly fields: readonly CompiledField[];
}
/** Documents by id. */
export interface IdsQuery extends QueryBase {
  readonly kind: 'ids';
  readonly values: readonly string[];
}

const MAX_TERMS = 65_536;

function parseTerm(value: JsonValue | undefined, path: string): TermQuery {
  const entry = readFieldEntry(value, path, 'term', { allowed: '_id' });
  return { kind: 'term', field: entry.field, ...readTermValue(entry, 'term', ['value', 'term']) };
}

function parseTerms(value: JsonValue | undefined, path: string): TermsQuery {
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

function parseRange(value: JsonValue | undefined, path: string): RangeQuery {
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
): RangeBound | undefined {
  const include = options.boolean(includeKey);
  let bound: RangeBound | undefined;
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

/** The queries by exact values. */
export const TERM_KINDS: QueryKinds<'match_all' | 'match_none' | 'term' | 'terms' | 'range' | 'exists' | 'ids'> = {
  match_all: {
    ...NO_FIELD,
    clauses: null,
    parse: bodyParser('match_all', (_, base) => ({ kind: 'match_all', ...base })),
    bind: (query) => query,
    isScan: () => true,
    isUnscored: () => true,
  },
  match_none: {
    ...NO_FIELD,
    clauses: null,
    parse: bodyParser('match_none', (_, base) => ({ kind: 'match_none', ...base })),
    bind: (query) => query,
    isUnscored: () => true,
  },
  term: {
    ...ONE_FIELD,
    parse: parseTerm,
    bind(query, binder) {
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
    whyChanging: (query) => (isNow(query.value, query.term) ? nowIn(query) : null),
    isScan: ({ caseInsensitive }) => caseInsensitive,
    isUnscored: ({ term }) => term.kind === 'number' || term.kind === 'dates',
  },
  terms: {
    ...ONE_FIELD,
    parse: parseTerms,
    aliases: { in: parseTerms },
    bind(query, binder) {
      const { field, values, path } = query;
      if (field === '_id') return byId(query, values);
      const mapped = binder.comparedField(query);
      if (mapped === undefined) return matchNone(query);
      const { nowMs } = binder.binding;
      const terms = values.map((value) => coerceHeldTerm(mapped, value, path, nowMs));
      return { ...query, field: mapped.name, mapped, terms };
    },
    lookups: ({ values }) => 1 + values.length / 100,
    whyChanging: (query) => (query.values.some((value, at) => isNow(value, query.terms[at])) ? nowIn(query) : null),
    isUnscored: () => true,
  },
  range: {
    ...ONE_FIELD,
    parse: parseRange,
    bind(query, binder) {
      const { field, boost, path, lower, upper } = query;
      const mapped = binder.comparedField(query);
      if (mapped === undefined) return matchNone(query);
      const range = readRange(query, mapped, binder.binding.nowMs);
      if (range === undefined) return matchNone(query);
      if (lower !== undefined || upper !== undefined) return { ...query, field: mapped.name, mapped, range };
      return binder.bind({ kind: 'exists', field, boost, path });
    },
    whyChanging: (query) => (isNow(query.lower?.value) || isNow(query.upper?.value) ? nowIn(query) : null),
    isUnscored: () => true,
  },
  exists: {
    ...STEADY,
    clauses: null,
    parse: bodyParser('exists', (options, base) => {
      const field = options.looseText('field') ?? options.fail('field', 'a field name');
      options.end();
      return { kind: 'exists', field: checkFieldName(field, options.path), ...base };
    }),
    bind(query, binder) {
      const fields = resolveExists(binder.compiled, query.field).filter(canExist);
      return fields.length === 0 ? matchNone(query) : { ...query, fields };
    },
    fields: ({ fields }) => fields,
    isUnscored: () => true,
  },
  ids: {
    ...NO_FIELD,
    clauses: null,
    parse: bodyParser('ids', (options, base) => {
      options.drop('type');
      const given = options.raw('values') ?? options.fail('values', 'a string or a list of strings');
      options.end();
      const list: readonly JsonValue[] = Array.isArray(given) ? given : [given];
      const { path } = options;
      if (list.length > MAX_TERMS) throw invalid(path, `ids at ${path} has more than ${MAX_TERMS} values`);
      const values = list.map((item) =>
        typeof item === 'string' || typeof item === 'number'
          ? String(item)
          : options.fail('values', 'a string or a list of strings'),
      );
      return { kind: 'ids', values, ...base };
    }),
    bind: (query) => query,
    lookups: ({ values }) => 1 + values.length / 100,
    isUnscored: () => true,
  },
};

/** Types indexed as string terms, which can be compared ignoring case. */
const CASED: ReadonlySet<string> = new Set(['text', 'keyword', 'boolean']);

function byId(query: QueryBase, values: readonly JsonScalar[]): IdsQuery {
  const { boost, name, path } = query;
  return { kind: 'ids', values: values.map(String), boost, path, ...present({ name }) };
}

/** Undefined if a bound doesn't fit the field and the query is lenient. */
function readRange(query: RangeQuery, mapped: CompiledField, nowMs: number): CoercedRange | undefined {
  try {
    return coerceRange(mapped, query, nowMs);
  } catch (error) {
    if (query.lenient === true && error instanceof QueryError) return undefined;
    throw error;
  }
}

/** @param term what the value was read as: a word that is no date is not one of `now` either */
function isNow(value: unknown, term?: CoercedTerm): boolean {
  const isDate = term === undefined || term.kind === 'dates';
  return isDate && typeof value === 'string' && value.startsWith('now');
}

function nowIn({ mapped, path }: OnField & QueryBase): string | null {
  if (mapped.type !== 'date') return null;
  return `now at ${path} can't be decided on one document: it changes although the document doesn't`;
}
