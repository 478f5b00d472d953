/* Legacy queries, rewritten to the current tree (SEARCH-30). */
import { isJsonObject, type JsonValue, own } from '@millrace/language';
import { invalid } from '../errors.js';
import { show } from '../show.js';
import { checkFieldName } from '../parse/checkFieldName.js';
import { Options } from '../parse/Options.js';
import { bodyParser, readBase, readFieldEntry } from '../parse/queryBase.js';
import type { ParseNamedQuery, QueryParser } from '../parse/QueryParser.js';
import type { BoolQuery, ExistsQuery, GeoDistanceQuery, Query, QueryBase } from '../tree/Query.js';
import { NO_CLAUSES } from './compoundKinds.js';
import { readDistance } from './geoKinds.js';
import { readDistanceType, readPoint } from '../parse/readPoint.js';

interface ClauseList {
  readonly clauses: readonly Query[];
  readonly base: QueryBase;
}

function readClauses(value: JsonValue | undefined, path: string, construct: string, parser: QueryParser): ClauseList {
  if (Array.isArray(value)) return { clauses: parser.parseList(value, path), base: { boost: 1, path } };
  const options = Options.from(value, path, construct);
  const base = readBase(options);
  const filters = options.raw('filters');
  options.end();
  if (!Array.isArray(filters)) options.fail('filters', 'a list of filters');
  return { clauses: parser.parseList(filters, `${path}.filters`), base };
}

function parseAnd(value: JsonValue | undefined, path: string, parser: QueryParser): Query {
  const { clauses, base } = readClauses(value, path, 'and', parser);
  if (clauses.length === 0) return { kind: 'match_all', ...base };
  return { kind: 'bool', ...NO_CLAUSES, filter: clauses, ...base };
}

function parseOr(value: JsonValue | undefined, path: string, parser: QueryParser): Query {
  const { clauses, base } = readClauses(value, path, 'or', parser);
  if (clauses.length === 0) return { kind: 'match_all', ...base };
  return { kind: 'bool', ...NO_CLAUSES, should: clauses, minimumShouldMatch: 1, ...base };
}

/** `not: F`, `not: {filter: F}` or `not: {query: F}`. */
function parseNot(value: JsonValue | undefined, path: string, parser: QueryParser): BoolQuery {
  if (!isJsonObject(value)) throw invalid(path, `not at ${path} must be a query, not ${show(value)}`);
  for (const key of ['filter', 'query']) {
    const inner = own(value, key);
    if (inner === undefined) continue;
    const options = new Options(value, path, 'not');
    const base = readBase(options);
    options.drop(key);
    options.end();
    return {
      kind: 'bool',
      ...NO_CLAUSES,
      mustNot: [parser.parse(inner, `${path}.${key}`)],
      ...base,
    };
  }
  return { kind: 'bool', ...NO_CLAUSES, mustNot: [parser.parse(value, path)], boost: 1, path };
}

function parseFquery(value: JsonValue | undefined, path: string, parser: QueryParser): Query {
  const options = Options.from(value, path, 'fquery');
  readBase(options);
  const inner = options.raw('query') ?? options.fail('query', 'a query');
  options.end();
  return parser.parse(inner, `${path}.query`);
}

/** `from` and `to` (or `gt`, `gte`, `lt`, `lte`): a ring between two circles. */
function parseGeoDistanceRange(value: JsonValue | undefined, path: string): BoolQuery {
  const options = Options.from(value, path, 'geo_distance_range');
  const distanceType = readDistanceType(options);
  const isLenient =
    (options.choice('validation_method', ['strict', 'coerce', 'ignore_malformed']) ?? 'strict') !== 'strict';
  const ignoreUnmapped = options.boolean('ignore_unmapped') ?? false;
  const inner = readDistance(options, 'from') ?? readDistance(options, 'gte') ?? readDistance(options, 'gt');
  const outer = readDistance(options, 'to') ?? readDistance(options, 'lte') ?? readDistance(options, 'lt');
  options.drop('from', 'gte', 'gt', 'to', 'lte', 'lt', 'include_lower', 'include_upper');
  const entry = readFieldEntry(value, path, 'geo_distance_range', { options });
  if (inner === undefined && outer === undefined) options.fail('to', 'a length');
  const point = readPoint(entry.value, entry.path, isLenient);
  const circle = (distanceMetres: number): GeoDistanceQuery => ({
    kind: 'geo_distance',
    field: entry.field,
    point,
    distanceMetres,
    distanceType,
    ignoreUnmapped,
    boost: 1,
    path,
  });
  const everywhere: ExistsQuery = { kind: 'exists', field: entry.field, boost: 1, path };
  return {
    kind: 'bool',
    ...NO_CLAUSES,
    must: [outer === undefined ? everywhere : circle(outer)],
    mustNot: inner === undefined || inner <= 0 ? [] : [circle(inner)],
    ...entry.base,
  };
}

/** The legacy forms (SEARCH-30). */
export const LEGACY_PARSERS: Readonly<Record<string, ParseNamedQuery>> = {
  and: parseAnd,
  or: parseOr,
  not: parseNot,
  missing: bodyParser('missing', (options, base) => {
    const { path } = options;
    options.drop('existence', 'null_value');
    const field = options.looseText('field') ?? options.fail('field', 'a field name');
    options.end();
    const exists: ExistsQuery = { kind: 'exists', field: checkFieldName(field, path), boost: 1, path };
    return { kind: 'bool', ...NO_CLAUSES, mustNot: [exists], ...base };
  }),
  filtered: bodyParser('filtered', (options, base, parser) => {
    const { path } = options;
    options.drop('strategy');
    const clause = (key: string): readonly Query[] => {
      const inner = options.raw(key);
      return inner === undefined ? [] : [parser.parse(inner, `${path}.${key}`)];
    };
    const [must, filter] = [clause('query'), clause('filter')];
    if (must.length + filter.length === 0) return { kind: 'match_all', ...base };
    // Without a query the old form scored 1 for every hit, as `match_all` does.
    const all: Query = { kind: 'match_all', boost: 1, path };
    return { kind: 'bool', ...NO_CLAUSES, must: must.length === 0 ? [all] : must, filter, ...base };
  }),
  query: (value, path, parser) => parser.parse(value, path),
  fquery: parseFquery,
  limit: bodyParser('limit', (options, base) => {
    options.drop('value', 'limit');
    return { kind: 'match_all', ...base };
  }),
  geo_distance_range: parseGeoDistanceRange,
};
