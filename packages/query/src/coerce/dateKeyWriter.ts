import { compileDateFormat } from '@millrace/language';
import { invalid } from '../errors.js';
import type { CompositeSource } from '../tree/Aggregation.js';

/** A source of `composite` on dates. */
export type DateHistogramSource = Extract<CompositeSource, { readonly kind: 'date_histogram' }>;

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
  const dates = compileDateFormat(format, (message) => invalid(path, message));
  return (ms) => {
    const text = dates.format(ms, timeZone);
    if (dates.parse(text, { timeZone }) === ms) return text;
    throw invalid(
      path,
      `Format ${format} at ${path} writes ${new Date(ms).toISOString()} as "${text}", which is another date: "after" could not go on from there`,
    );
  };
}
