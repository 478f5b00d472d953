/** A date format (names or patterns joined by `||`), compiled. All times are milliseconds of UTC. */
export interface DateFormat {
  /** As given: `strict_date_optional_time||epoch_millis`. */
  readonly text: string;
  /**
   * Reads a date; parts that are absent are filled up from 1970-01-01T00:00:00.000. With `roundUp` the time of day is
   * filled up from 23:59:59.999 instead; month and day still count as 1, as in Elasticsearch.
   * @returns milliseconds, or undefined when no alternative fits
   */
  parse(text: string, options?: DateParseOptions): number | undefined;
  /** Writes a date by the first alternative, in UTC or the zone given. */
  format(ms: number, timeZone?: string): string;
}

/** How `DateFormat.parse` reads what the text leaves open. */
export interface DateParseOptions {
  /** For texts without an offset of their own; `+01:00` or an IANA name. */
  readonly timeZone?: string | undefined;
  readonly roundUp?: boolean;
  /** In a range query a format may have a zone of its own (`basic_date`), and the epoch begins in the zone given. */
  readonly isRangeQuery?: boolean | undefined;
}
