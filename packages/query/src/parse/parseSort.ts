import { isJsonObject, type JsonValue, metresPerUnit, type Point } from '@millrace/language';
import { forbidden, invalid } from '../errors.js';
import { parsePoint } from '../geo/parsePoint.js';
import { LEAF_TYPES } from '../mapping/Mapping.js';
import { present } from '../present.js';
import { quote, show } from '../show.js';
import type { FieldSort, GeoDistanceSort, NestedSort, Sort } from '../tree/Sort.js';
import { checkContentField, checkFieldName } from './checkFieldName.js';
import { Options } from './Options.js';
import { readDistanceType, readPoint } from './readPoint.js';
import { readFieldEntry } from './queryBase.js';
import type { QueryParser } from './QueryParser.js';
import { readDateFormat } from './readDateFormat.js';

const ORDERS = ['asc', 'desc'] as const;
const MODES = ['min', 'max', 'sum', 'avg', 'median'] as const;
const NUMERIC_TYPES = ['long', 'double', 'date', 'date_nanos'] as const;
const MAX_CRITERIA = 64;
const MAX_NESTED_DEPTH = 20;

/** `sort` (SEARCH-60): a string, an object or a list of both. */
export function parseSort(value: JsonValue, path: string, parser: QueryParser): readonly Sort[] {
  const sorts: Sort[] = [];
  const list: readonly JsonValue[] = Array.isArray(value) ? value : [value];
  list.forEach((item, position) => {
    const place = Array.isArray(value) ? `${path}[${position}]` : path;
    if (typeof item === 'string') sorts.push(readCriterion(item, {}, place, parser));
    else if (isJsonObject(item)) {
      for (const [name, options] of Object.entries(item)) {
        sorts.push(readCriterion(name, options, `${place}.${name}`, parser));
      }
    } else {
      throw invalid(place, `Sort at ${place} must be a field name or an object, not ${show(item)}`);
    }
  });
  if (sorts.length > MAX_CRITERIA) throw invalid(path, `sort at ${path} has more than ${MAX_CRITERIA} criteria`);
  return sorts;
}

function readCriterion(name: string, value: JsonValue, path: string, parser: QueryParser): Sort {
  if (name === '_script') throw forbidden(path, `Sorting by "_script" is not allowed at ${path}`);
  if (name === '_geo_distance' || name === '_geoDistance') return readGeoDistance(value, path, parser);
  const given = value === null ? {} : typeof value === 'string' ? { order: value } : value;
  const options = Options.from(given, path, 'Sort');
  const order = options.choice('order', ORDERS) ?? (name === '_score' ? 'desc' : 'asc');
  if (name === '_score' || name === '_doc' || name === '_id') {
    if (name === '_id') options.drop('missing', 'unmapped_type', 'ignore_unmapped', 'mode');
    options.end();
    return { kind: name === '_score' ? 'score' : name === '_doc' ? 'doc' : 'id', order, path };
  }
  checkFieldName(name, path);
  return readFieldSort(name, order, options, parser);
}

function readFieldSort(field: string, order: 'asc' | 'desc', options: Options, parser: QueryParser): FieldSort {
  const ignoreUnmapped = options.boolean('ignore_unmapped');
  const format = readDateFormat(options);
  const sort: FieldSort = {
    kind: 'field',
    field,
    order,
    path: options.path,
    mode: options.choice('mode', MODES) ?? (order === 'asc' ? 'min' : 'max'),
    missing: readMissing(options),
    ...present({
      unmappedType: readUnmappedType(options) ?? (ignoreUnmapped === true ? 'long' : undefined),
      format,
      numericType: options.choice('numeric_type', NUMERIC_TYPES),
      nested: readNestedOption(options, parser),
    }),
  };
  options.end();
  return sort;
}

function readMissing(options: Options): FieldSort['missing'] {
  const value = options.scalar('missing');
  if (value === undefined || value === '_last') return 'last';
  return value === '_first' ? 'first' : { value };
}

function readUnmappedType(options: Options): string | undefined {
  const type = options.text('unmapped_type');
  if (type === undefined) return undefined;
  if (type === 'string') return 'keyword';
  if (!(LEAF_TYPES as readonly string[]).includes(type)) options.fail('unmapped_type', 'a field type');
  return type;
}

/** `nested`, or the legacy `nested_path` and `nested_filter`. */
function readNestedOption(options: Options, parser: QueryParser): NestedSort | undefined {
  const nested = options.raw('nested');
  const path = options.text('nested_path');
  const filter = options.raw('nested_filter');
  if (nested !== undefined) {
    if (path !== undefined || filter !== undefined) {
      throw invalid(options.path, `"nested" is given with "nested_path" or "nested_filter" at ${options.path}`);
    }
    return readNestedSort(nested, `${options.path}.nested`, parser, 1);
  }
  if (path === undefined) {
    return filter === undefined ? undefined : options.fail('nested_path', 'the path of a nested field');
  }
  return {
    path: checkContentField(path, options.path),
    ...(filter === undefined ? {} : { filter: parser.parse(filter, `${options.path}.nested_filter`) }),
  };
}

function readNestedSort(value: JsonValue, path: string, parser: QueryParser, depth: number): NestedSort {
  if (depth > MAX_NESTED_DEPTH) throw invalid(path, `nested at ${path} is nested too deeply`);
  const options = Options.from(value, path, 'nested');
  const nestedPath = options.text('path') ?? options.fail('path', 'the path of a nested field');
  const filter = options.raw('filter');
  const nested = options.raw('nested');
  options.end();
  return {
    path: checkContentField(nestedPath, path),
    ...(filter === undefined ? {} : { filter: parser.parse(filter, `${path}.filter`) }),
    ...(nested === undefined ? {} : { nested: readNestedSort(nested, `${path}.nested`, parser, depth + 1) }),
  };
}

function readGeoDistance(value: JsonValue, path: string, parser: QueryParser): GeoDistanceSort {
  const options = Options.from(value, path, 'Sort by _geo_distance');
  const order = options.choice('order', ORDERS) ?? 'asc';
  const unit = options.text('unit') ?? 'm';
  const mode = options.choice('mode', ['min', 'max', 'avg', 'median']) ?? (order === 'asc' ? 'min' : 'max');
  const distanceType = readDistanceType(options);
  const isLenient =
    (options.choice('validation_method', ['strict', 'coerce', 'ignore_malformed']) ?? 'strict') !== 'strict';
  const ignoreUnmapped = options.boolean('ignore_unmapped') ?? false;
  const nested = readNestedOption(options, parser);
  const entry = readFieldEntry(value, path, 'Sort by _geo_distance', { options });
  return {
    kind: 'geoDistance',
    field: entry.field,
    points: readPoints(entry.value, entry.path, isLenient),
    order,
    metresPerUnit: metresPerUnit(unit) ?? options.fail('unit', 'a unit of length such as m, km, mi'),
    mode,
    distanceType,
    ignoreUnmapped,
    path,
    ...present({ nested }),
  };
}

/** One point or several; two numbers are one point. */
function readPoints(value: JsonValue, path: string, isLenient: boolean): readonly Point[] {
  const single = parsePoint(value, { isLenient });
  if (single !== undefined) return [single];
  if (!Array.isArray(value) || value.length === 0) return [readPoint(value, path, isLenient)];
  if (value.length > 1000) throw invalid(path, `More than 1000 points at ${path} (${quote(path)})`);
  return (value as readonly JsonValue[]).map((item, position) => readPoint(item, `${path}[${position}]`, isLenient));
}
