import {
  compileDateFormat,
  DEFAULT_DATE_FORMAT,
  type DateFormat,
  type JsonScalar,
} from '@millrace/language';
import { coerceDocValue, formatIp, type CompiledField } from '@millrace/query';
import { Refusal } from '../Refusal.js';

/**
 * A value of a request in the field's indexed form: a number (milliseconds, 0 or 1 for booleans) or a term. Undefined
 * for a value that the field can't have.
 * @throws QueryError
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

/** A term as results contain it. */
export function showTerm(field: CompiledField, term: string): string {
  return field.type === 'ip' ? formatIp(term) : term;
}

/** The requested format, else the field's. @throws Refusal if it is not a format */
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
