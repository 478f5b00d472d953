import { compileDateFormat, DEFAULT_DATE_FORMAT, type DateFormat } from '@millrace/language';
import { invalid } from '../errors.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import type { CompositeSource } from '../tree/Aggregation.js';

/** The requested format, else the field's, else the default. @throws QueryError if it is not a format */
export function dateFormatOf(field: CompiledField | undefined, format: string | undefined, path: string): DateFormat {
  if (format === undefined && field !== undefined) return field.dateFormat;
  return compileDateFormat(format ?? DEFAULT_DATE_FORMAT, (message) => invalid(path, message));
}

/** A source of `composite` on dates. */
type DateHistogramSource = Extract<CompositeSource, { readonly kind: 'date_histogram' }>;

/**
 * Formats the keys of a source; undefined if it has no format and returns milliseconds. The function throws for a key
 * that the format doesn't parse back: the next page would start at another date.
 * @throws QueryError, the returned function too
 */
export function dateKeyWriter({
  format,
  timeZone,
  path,
}: Pick<DateHistogramSource, 'format' | 'timeZone' | 'path'>): ((ms: number) => string) | undefined {
  if (format === undefined) return undefined;
  const dates = dateFormatOf(undefined, format, path);
  return (ms) => {
    const text = dates.format(ms, timeZone);
    if (dates.parse(text, { timeZone }) === ms) return text;
    throw invalid(
      path,
      `Format ${format} at ${path} writes ${new Date(ms).toISOString()} as "${text}", which is another date: "after" could not go on from there`,
    );
  };
}
