/* Legacy queries, rewritten to the current tree (SEARCH-30). */
import { isJsonObject, type JsonValue, own } from '@millrace/language';
import { invalid } from '../../errors.js';
import { show } from '../../show.js';
import type * as tree from '../../tree/Query.js';
import { checkFieldName } from '../checkFieldName.js';
import { Options } from '../Options.js';
import { readBase, readFieldEntry } from '../queryBase.js';
import type { QueryParser } from '../QueryParser.js';
import type { Parsers } from '../queryParsers.js';
import { readDistance, readDistanceType, readPoint } from './geoQueries.js';

const NO_CLAUSES = {
  must: [],
  filter: [],
  should: [],
  mustNot: [],
  minimumShouldMatch: 0,
} as const;

interface ClauseList {
  readonly clauses: readonly tree.Query[];
  readonly base: tree.QueryBase;
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

function parseAnd(value: JsonValue | undefined, path: string, parser: QueryParser): tree.Query {
  const { clauses, base } = readClauses(value, path, 'and', parser);
  if (clauses.length === 0) return { kind: 'match_all', ...base };
  return { kind: 'bool', ...NO_CLAUSES, filter: clauses, ...base };
}

function parseOr(value: JsonValue | undefined, path: string, parser: QueryParser): tree.Query {
  const { clauses, base } = readClauses(value, path, 'or', parser);
  if (clauses.length === 0) return { kind: 'match_all', ...base };
  return { kind: 'bool', ...NO_CLAUSES, should: clauses, minimumShouldMatch: 1, ...base };
}

/** `not: F`, `not: {filter: F}` or `not: {query: F}`. */
function parseNot(value: JsonValue | undefined, path: string, parser: QueryParser): tree.BoolQuery {
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

function parseMissing(value: JsonValue | undefined, path: string): tree.BoolQuery {
  const options = Options.from(value, path, 'missing');
  const base = readBase(options);
  options.drop('existence', 'null_value');
  const field = options.looseText('field') ?? options.fail('field', 'a field name');
  options.end();
  const exists: tree.ExistsQuery = {
    kind: 'exists',
    field: checkFieldName(field, path),
    boost: 1,
    path,
  };
  return { kind: 'bool', ...NO_CLAUSES, mustNot: [exists], ...base };
}

function parseFiltered(value: JsonValue | undefined, path: string, parser: QueryParser): tree.Query {
  const options = Options.from(value, path, 'filtered');
  const base = readBase(options);
  options.drop('strategy');
  const clause = (key: string): readonly tree.Query[] => {
    const inner = options.raw(key);
    return inner === undefined ? [] : [parser.parse(inner, `${path}.${key}`)];
  };
  const [must, filter] = [clause('query'), clause('filter')];
  options.end();
  if (must.length + filter.length === 0) return { kind: 'match_all', ...base };
  // Without a query the old form scored 1 for every hit, as `match_all` does.
  const all: tree.Query = { kind: 'match_all', boost: 1, path };
  return { kind: 'bool', ...NO_CLAUSES, must: must.length === 0 ? [all] : must, filter, ...base };
}

function parseQueryAsFilter(value: JsonValue | undefined, path: string, parser: QueryParser): tree.Query {
  return parser.parse(value, path);
}

function parseFquery(value: JsonValue | undefined, path: string, parser: QueryParser): tree.Query {
  const options = Options.from(value, path, 'fquery');
  readBase(options);
  const inner = options.raw('query') ?? options.fail('query', 'a query');
  options.end();
  return parser.parse(inner, `${path}.query`);
}

function parseLimit(value: JsonValue | undefined, path: string): tree.Query {
  const options = Options.from(value, path, 'limit');
  const base = readBase(options);
  options.drop('value', 'limit');
  options.end();
  return { kind: 'match_all', ...base };
}

/** `from` and `to` (or `gt`, `gte`, `lt`, `lte`): a ring between two circles. */
function parseGeoDistanceRange(value: JsonValue | undefined, path: string): tree.BoolQuery {
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
  const circle = (distanceMetres: number): tree.GeoDistanceQuery => ({
    kind: 'geo_distance',
    field: entry.field,
    point,
    distanceMetres,
    distanceType,
    ignoreUnmapped,
    boost: 1,
    path,
  });
  const everywhere: tree.ExistsQuery = { kind: 'exists', field: entry.field, boost: 1, path };
  return {
    kind: 'bool',
    ...NO_CLAUSES,
    must: [outer === undefined ? everywhere : circle(outer)],
    mustNot: inner === undefined || inner <= 0 ? [] : [circle(inner)],
    ...entry.base,
  };
}

/** The legacy forms (SEARCH-30). */
export const LEGACY_PARSERS: Parsers = {
  and: parseAnd,
  or: parseOr,
  not: parseNot,
  missing: parseMissing,
  filtered: parseFiltered,
  query: parseQueryAsFilter,
  fquery: parseFquery,
  limit: parseLimit,
  geo_distance_range: parseGeoDistanceRange,
};
