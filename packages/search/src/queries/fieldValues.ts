import { compileDateFormat, DEFAULT_DATE_FORMAT, type DateFormat } from '@millrace/language';
import { formatIp, type CompiledField } from '@millrace/query';
import { Refusal } from '../Refusal.js';

/** A term as results contain it. */
export function showTerm(field: CompiledField, term: string): string {
  return field.type === 'ip' ? formatIp(term) : term;
}

/** The requested format, else the field's. @throws Refusal if it is not a format */
export function dateFormatOf(field: CompiledField | undefined, format: string | undefined, path: string): DateFormat {
  if (format === undefined && field !== undefined) return field.dateFormat;
  return compileDateFormat(format ?? DEFAULT_DATE_FORMAT, (message) => new Refusal(`${message} (at ${path})`));
}
