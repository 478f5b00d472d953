/*
 * Bounds of `date_range` and `date_histogram`. Both also aggregate booleans and numbers, as 0 and 1 or as milliseconds:
 * their bounds are then values of the field, not dates.
 */
import { type JsonScalar, parseDateMath } from '@millrace/language';
import { isNumberType, toDecimal } from '../mapping/numberRange.js';
import { invalid } from '../errors.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import { dateFormatOf } from './dateFormatOf.js';
import { show } from '../show.js';
import type { DateHistogramAggregation, DateRangeAggregation } from '../tree/Aggregation.js';

/**
 * Reads a bound, or `missing` of an unmapped field.
 * @param field undefined if it is not mapped: its values would be dates
 * @param nowMs the request's `now`
 * @returns milliseconds of UTC, or the number to compare with
 * @throws QueryError if it is not a value of the field
 */
export function coerceDateBound(
  { kind, format, timeZone, path }: DateRangeAggregation | DateHistogramAggregation,
  field: CompiledField | undefined,
  bound: JsonScalar,
  nowMs: number,
): number {
  const isRange = kind === 'date_range';
  const refuse = (expected: string): Error =>
    invalid(path, `Invalid bound ${show(bound)} at ${path}: expected ${expected}`);
  // A number in a range is also parsed by the format, without its fraction.
  if (typeof bound === 'number' && !isRange) return bound;
  if (field?.type === 'boolean') {
    if (bound === 'true' || bound === 'false') return Number(bound === 'true');
    throw refuse('"true" or "false"');
  }
  const text = typeof bound === 'number' ? String(Math.trunc(bound) + 0) : String(bound);
  if (field !== undefined && isNumberType(field.type)) {
    const number = isRange ? toDecimal(text) : Math.floor(toDecimal(text));
    if (Number.isNaN(number)) throw refuse('a number');
    if (isRange || Number.isSafeInteger(number)) return number;
    throw refuse('a number of milliseconds');
  }
  const dates = dateFormatOf(field, format, path);
  const ms = parseDateMath(text, { format: dates, nowMs, timeZone });
  if (ms === undefined) throw refuse(`a date of format ${dates.text} or date math`);
  return ms;
}
