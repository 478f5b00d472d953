import { compileDateFormat, type DateFormat, type JsonScalar, parseDateMath } from '@millrace/language';
import { toDecimal } from '../document/parseDocument.js';
import { invalid } from '../errors.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import { show } from '../show.js';
import type { CompositeSource } from '../tree/Aggregation.js';
import { coerceBoolean } from './coerceTerm.js';

/**
 * Reads a value of `after` for a source whose values are compared as numbers (dates as milliseconds). A date is in the
 * format of the source.
 * @param field of numbers, dates or booleans; undefined if it is not mapped
 * @throws QueryError if the source can't have the value
 */
export function coerceAfter(source: CompositeSource, field: CompiledField | undefined, value: JsonScalar): number {
  const path = `${source.path}.after`;
  if (source.kind === 'date_histogram' && source.format !== undefined) {
    const format = compileDateFormat(source.format, (message) => invalid(path, message));
    return coerceDate(format, source.timeZone, value, path);
  }
  if (source.kind === 'terms') {
    // No document has a value to compare with.
    if (field === undefined) return 0;
    if (field.type === 'boolean') return Number(coerceBoolean(field, value, path));
  }
  if (source.kind === 'histogram' && field?.type === 'date' && typeof value !== 'number')
    return coerceDate(field.dateFormat, undefined, value, path);
  const number = typeof value === 'number' ? value : typeof value === 'string' ? toDecimal(value) : NaN;
  if (Number.isNaN(number)) {
    throw invalid(path, `Invalid value at ${path}: expected a number, not ${show(value)}`);
  }
  return number;
}

function coerceDate(format: DateFormat, timeZone: string | undefined, value: JsonScalar, path: string): number {
  const text = String(value);
  // With `now`, the next page would begin at a different value.
  const isFixed = !text.startsWith('now');
  const ms = isFixed ? parseDateMath(text, { format, nowMs: 0, timeZone }) : undefined;
  if (ms !== undefined) return ms;
  throw invalid(
    path,
    `Invalid date ${show(value)} at ${path}: expected format ${format.text} or date math on such a date`,
  );
}
