/** A compiled date format (names or patterns joined by `||`). All times are milliseconds of UTC. */
export interface DateFormat {
  /** As given: `strict_date_optional_time||epoch_millis`. */
  readonly text: string;
  /**
   * Parses a date; absent parts default to 1970-01-01T00:00:00.000. With `roundUp` the time of day defaults to
   * 23:59:59.999 instead; month and day still default to 1, as in Elasticsearch.
   * @returns milliseconds, or undefined if no alternative fits
   */
  parse(text: string, options?: DateParseOptions): number | undefined;
  /** Formats a date by the first alternative, in UTC or the given zone. */
  format(ms: number, timeZone?: string): string;
}

/** How `DateFormat.parse` interprets the parts that a string omits. */
export interface DateParseOptions {
  /** For strings without an offset; `+01:00` or an IANA name. */
  readonly timeZone?: string | undefined;
  readonly roundUp?: boolean;
  /** In a range query a format may imply a zone (`basic_date`), and the epoch begins in the given zone. */
  readonly isRangeQuery?: boolean | undefined;
}
