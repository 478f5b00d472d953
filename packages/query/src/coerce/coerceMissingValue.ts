import { parseDateMath, type JsonScalar, type Point } from '@millrace/language';
import { isNumberType, toDecimal } from '../mapping/numberRange.js';
import { invalid } from '../errors.js';
import { hasHeight, parsePoint } from '../geo/parsePoint.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import { show } from '../show.js';
import type { Aggregation, FieldAggregationBase } from '../tree/Aggregation.js';
import { coerceDateBound } from './coerceDateBound.js';
import { dateFormatOf } from './dateFormatOf.js';
import { coerceIndexed, unfit } from './coerceTerm.js';

type FieldAggregation = Extract<Aggregation, FieldAggregationBase>;

const NUMERIC_KINDS: ReadonlySet<string> = new Set([
  'min', 'max', 'avg', 'sum', 'stats', 'extended_stats', 'percentiles', 'median_absolute_deviation', 'histogram', 'range',
]); // prettier-ignore

/**
 * Reads `missing` of an aggregation: a number (milliseconds, 0 or 1 for booleans; the field's precision doesn't limit
 * it), a term (as given for keywords: a normalizer doesn't apply) or a point.
 * @param field undefined if it is not mapped
 * @throws QueryError if it is not a value of the field
 */
export function coerceMissingValue(
  aggregation: FieldAggregation,
  field: CompiledField | undefined,
  nowMs: number,
): number | string | Point | undefined {
  const { missing, kind } = aggregation;
  if (missing === undefined) return undefined;
  const path = `${aggregation.path}.missing`;
  if (field === undefined) {
    // Without a field an aggregation of numbers takes a number, one of dates a date or milliseconds.
    if (NUMERIC_KINDS.has(kind)) return coerceMissing(missing, path);
    if (kind === 'geohash_grid') return coercePoint(missing, aggregation.path);
    if (kind !== 'date_range' && kind !== 'date_histogram') return String(missing);
    if (typeof missing === 'number') return missing;
    return coerceDateBound(aggregation, field, missing, nowMs);
  }
  switch (field.type) {
    case 'geo_shape':
      return undefined;
    case 'geo_point':
      return coercePoint(missing, aggregation.path);
    case 'date':
      return coerceDate(aggregation, field, missing, nowMs);
    case 'keyword':
    case 'text':
      return String(missing);
    case 'boolean':
      if (typeof missing === 'number') return coerceMissing(missing, path);
      return coerceIndexed(field, missing, path, nowMs);
    default:
      if (isNumberType(field.type)) return coerceMissing(missing, path);
      return coerceIndexed(field, missing, path, nowMs);
  }
}

function coerceDate(aggregation: FieldAggregation, field: CompiledField, missing: JsonScalar, nowMs: number): number {
  const path = `${aggregation.path}.missing`;
  if (typeof missing === 'number') return Number(coerceIndexed(field, missing, path, nowMs));
  const format = 'format' in aggregation ? aggregation.format : undefined;
  const timeZone = 'timeZone' in aggregation ? aggregation.timeZone : undefined;
  const dates = dateFormatOf(field, format, path);
  const ms = parseDateMath(String(missing), { format: dates, nowMs, timeZone });
  if (ms === undefined) throw unfit(field, missing, path, `a date of format ${dates.text}`);
  return ms;
}

/** `"lat,lon"`, WKT or a geohash, which may also be given as a number. */
function coercePoint(missing: JsonScalar, path: string): Point {
  const text = String(missing);
  const point = hasHeight(text) ? undefined : parsePoint(text);
  if (point !== undefined) return point;
  const expected = 'a point ("lat,lon", WKT or a geohash)';
  throw invalid(`${path}.missing`, `"missing" at ${path} must be ${expected}, not ${show(missing)}`);
}

/**
 * The number that `missing` of an aggregation substitutes for absent values, regardless of the field's precision.
 * @throws QueryError if it isn't a finite number
 */
export function coerceMissing(missing: JsonScalar, path: string): number {
  const number = typeof missing === 'string' ? toDecimal(missing) : missing;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw invalid(path, `Invalid value at ${path}: expected a number, not ${show(missing)}`);
}
