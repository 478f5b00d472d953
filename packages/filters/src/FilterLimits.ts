/** Upper limits for a filter (FILTER-50). */
export interface FilterLimits {
  /** Bytes of the filter as compact JSON in UTF-8. */
  readonly bytes: number;
  /** Nesting of `and`, `or`, `not`, `bool`. */
  readonly depth: number;
  /** Conditions of the normal form; a list of values counts as one. */
  readonly conditions: number;
  /** Values in one `in`, `ids` or `terms`. */
  readonly values: number;
  readonly polygonPoints: number;
  /** UTF-16 units of one pattern. */
  readonly patternLength: number;
  /** Steps of all patterns as sent: their characters, with repetitions expanded; a Unicode property adds 50. */
  readonly patternSteps: number;
}

/** Default limits: a filter within them is registered in less than 5 ms. */
export const DEFAULT_FILTER_LIMITS: FilterLimits = {
  bytes: 65_536,
  depth: 32,
  conditions: 512,
  values: 1_024,
  polygonPoints: 1_024,
  patternLength: 1_000,
  patternSteps: 4_096,
};
