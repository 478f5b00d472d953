import {
  coerceDocValue,
  compileDateFormat,
  DEFAULT_DATE_FORMAT,
  formatIp,
  parseDateMath,
  type CompiledField,
  type DateFormat,
  type JsonScalar,
} from '@millrace/query';
import { Refusal } from '../Refusal.js';

/**
 * A value of a request in the form the field is indexed in: a number (milliseconds, 0 or 1 for booleans) or a term.
 * Undefined for a value that the field can't hold. @throws QueryError
 */
export function readTerm(
  field: CompiledField,
  value: JsonScalar,
  path: string,
  nowMs: number,
): string | number | undefined {
  const term = coerceDocValue(field, value, path, nowMs);
  switch (term.kind) {
    case 'none':
      return undefined;
    case 'text':
    case 'number':
      return term.value;
    case 'boolean':
      return term.value ? 1 : 0;
    case 'dates':
      return term.firstMs;
    case 'ips':
      return term.first;
  }
}

/** A term as results show it. */
export function showTerm(field: CompiledField, term: string): string {
  return field.type === 'ip' ? formatIp(term) : term;
}

/** The format asked for, else the field's. @throws Refusal where it is none */
export function dateFormatOf(
  field: CompiledField | undefined,
  format: string | undefined,
  path: string,
): DateFormat {
  if (format === undefined && field !== undefined) return field.dateFormat;
  return compileDateFormat(
    format ?? DEFAULT_DATE_FORMAT,
    (message) => new Refusal(`${message} (at ${path})`),
  );
}

/** How a date of a request is read. */
export interface ReadDateOptions {
  readonly format: string | undefined;
  readonly timeZone: string | undefined;
  readonly path: string;
  readonly nowMs: number;
}

/** A date of a request, as date math or milliseconds. @throws Refusal */
export function readDate(
  field: CompiledField | undefined,
  value: JsonScalar,
  { format, timeZone, path, nowMs }: ReadDateOptions,
): number {
  if (typeof value === 'number') return value;
  const dates = dateFormatOf(field, format, path);
  const ms = parseDateMath(String(value), { format: dates, nowMs, timeZone });
  if (ms !== undefined) return ms;
  throw new Refusal(
    `Invalid date ${JSON.stringify(value)} at ${path}: expected the format ${dates.text} or date math`,
  );
}
