/** What a filter may hold at most (realtime-filters.md section 9). */
export interface FilterLimits {
  /** Nesting of `and`, `or`, `not`, `bool`. */
  readonly depth: number;
  /** Values in one `in`, `ids` or `terms`. */
  readonly values: number;
  readonly polygonPoints: number;
  /** UTF-16 units of one pattern. */
  readonly patternLength: number;
  /** Clauses of the normal form. */
  readonly clauses: number;
  /** Conditions over all clauses of the normal form. */
  readonly conditions: number;
}

/** The limits without configuration. */
export const DEFAULT_FILTER_LIMITS: FilterLimits = {
  depth: 32,
  values: 1_024,
  polygonPoints: 1_024,
  patternLength: 1_000,
  clauses: 512,
  conditions: 1_024,
};
