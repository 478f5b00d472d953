import { compileDateFormat, type JsonScalar, parseDateMath } from '@millrace/language';
import { isInTypeRange } from '../document/numberRange.js';
import { invalid } from '../errors.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import { show } from '../show.js';
import type { RangeAggregation } from '../tree/Aggregation.js';
import { coerceMissing } from './coerceMissing.js';
import { unfit } from './coerceTerm.js';

const MAX_DATE_MS = 8.64e15;

/**
 * Reads a bound of `range`. A string is in the notation of the field's values: a number in the aggregation's format, a
 * date (or date math) in that format or the field's, `true` or `false`. A number is the value itself, milliseconds for
 * dates.
 * @param field of numbers, dates or booleans; undefined if it is not mapped
 * @throws QueryError if it is not a value of the field
 */
export function coerceRangeBound(
  { format, path }: Pick<RangeAggregation, 'format' | 'path'>,
  field: CompiledField | undefined,
  bound: JsonScalar,
  nowMs: number,
): number {
  const type = field?.type;
  let value: number | undefined;
  if (type === 'date' && typeof bound === 'string') {
    const dates =
      format === undefined ? field?.dateFormat : compileDateFormat(format, (message) => invalid(path, message));
    value = dates && parseDateMath(bound, { format: dates, nowMs });
  } else if (type === 'boolean' && typeof bound === 'string') {
    value = bound === 'true' ? 1 : bound === 'false' ? 0 : undefined;
  } else if (typeof bound !== 'boolean') value = coerceMissing(bound, `${path}.ranges`);
  const isHeld =
    value !== undefined &&
    (type === 'date'
      ? Math.abs(value) <= MAX_DATE_MS
      : (type !== 'float' && type !== 'half_float') || isInTypeRange(type, value));
  if (value !== undefined && isHeld) return value;
  if (field !== undefined) throw unfit(field, bound, path, 'a bound of such values');
  throw invalid(path, `Invalid bound ${show(bound)} at ${path}: expected a number`);
}
