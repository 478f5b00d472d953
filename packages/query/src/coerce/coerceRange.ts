import { type JsonScalar, lowerCase, parseDateMath } from '@millrace/language';
import { isFloatType, isInTypeRange } from '../mapping/numberRange.js';
import { dateFormatOf } from './dateFormatOf.js';
import { invalid } from '../errors.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import { quote, show } from '../show.js';
import type { RangeBound, RangeQuery } from '../tree/Query.js';
import { assertSearchable, coerceBoolean, coerceIp, coerceNumber, EPOCH_MILLIS } from './coerceTerm.js';

/** One end of a range; absent: open. */
export interface CoercedBound<Value> {
  readonly value: Value;
  readonly inclusive: boolean;
}

/**
 * A `range` in the form in which its field compares: numbers (milliseconds for dates, 0 and 1 for booleans) or strings
 * (by UTF-8 bytes; ip fields: by key).
 */
export type CoercedRange =
  | {
      readonly kind: 'number';
      readonly lower?: CoercedBound<number>;
      readonly upper?: CoercedBound<number>;
    }
  | {
      readonly kind: 'text';
      readonly lower?: CoercedBound<string>;
      readonly upper?: CoercedBound<string>;
    };

/**
 * Reads the bounds of a `range` for a field.
 * @param nowMs the request's `now`
 * @throws QueryError if a bound doesn't fit the field, or the field has no order
 */
export function coerceRange(field: CompiledField, query: RangeQuery, nowMs: number): CoercedRange {
  assertSearchable(field, query.path);
  const { path } = query;
  switch (field.type) {
    case 'text':
    case 'keyword':
      return bounds('text', query, ({ value }) => (field.isLowerCased ? lowerCase(String(value)) : String(value)));
    case 'ip':
      return bounds('text', query, ({ value }) => coerceIp(field, value, path, 'range on'));
    case 'date':
      return bounds('number', query, dateReader(field, query, nowMs));
    case 'boolean':
      return bounds('number', query, ({ value }) => (coerceBoolean(field, value, path, 'range on') ? 1 : 0));
    case 'geo_point':
    case 'geo_shape':
    case 'binary':
      throw invalid(path, `Field ${quote(field.name)} of type ${field.type} has no order for the range at ${path}`);
    default:
      return bounds('number', query, ({ value }) => {
        const number = coerceNumber(field, value, path, 'range on');
        assertInRange(field, number, path);
        // Values were rounded to the field's precision, so bounds are too: 0.1 finds 0.1 in a float.
        const isRounded = field.type === 'float' || field.type === 'half_float';
        return isRounded ? Math.fround(number) : number;
      });
  }
}

/**
 * Refuses a bound outside the range of an integer type (a byte or a short is compared as an integer). For types with
 * fractions such a bound counts as infinite.
 */
function assertInRange({ name, type }: CompiledField, number: number, path: string): void {
  if (isFloatType(type)) return;
  const held = type === 'byte' || type === 'short' ? 'integer' : type;
  if (isInTypeRange(held, number)) return;
  throw invalid(path, `Invalid range on ${quote(name)} at ${path}: ${number} is out of range for ${type}`);
}

type Reader<Value> = (bound: RangeBound, isLower: boolean) => Value;

function bounds(kind: 'number', query: RangeQuery, read: Reader<number>): CoercedRange;
function bounds(kind: 'text', query: RangeQuery, read: Reader<string>): CoercedRange;
function bounds(kind: 'number' | 'text', query: RangeQuery, read: Reader<number | string>): CoercedRange {
  const end = (bound: RangeBound | undefined, isLower: boolean) =>
    bound === undefined ? undefined : { value: read(bound, isLower), inclusive: bound.inclusive };
  const [lower, upper] = [end(query.lower, true), end(query.upper, false)];
  return {
    kind,
    ...(lower === undefined ? {} : { lower }),
    ...(upper === undefined ? {} : { upper }),
  } as CoercedRange;
}

/** Rounds up to the last millisecond for `gt` and `lte`, down for `gte` and `lt` (SEARCH-24). */
function dateReader(field: CompiledField, query: RangeQuery, nowMs: number): Reader<number> {
  // If one bound is a number, both are milliseconds, whatever the field's format.
  const hasNumber = [query.lower, query.upper].some((bound) => typeof bound?.value === 'number');
  const isCount = query.format === undefined && hasNumber;
  const format = isCount ? EPOCH_MILLIS : dateFormatOf(field, query.format, `${query.path}.format`);
  return ({ value, inclusive }, isLower) => {
    const roundUp = isLower !== inclusive;
    const ms = parseDateMath(dateText(value), {
      format,
      nowMs,
      timeZone: query.timeZone,
      roundUp,
      isRangeQuery: true,
    });
    if (ms !== undefined) return ms;
    throw invalid(
      query.path,
      `Invalid range on ${quote(field.name)} at ${query.path}: expected a date of format ${format.text} or date math, not ${show(value)}`,
    );
  };
}

function dateText(value: JsonScalar): string {
  return typeof value === 'number' && Number.isInteger(value) ? value.toFixed(0) : String(value);
}
