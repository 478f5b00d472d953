/** Identifiers of the filters that a change concerns. */
export interface MatchChange {
  /** Match after it and not before. */
  readonly entered: readonly string[];
  /** Match before and after. */
  readonly stayed: readonly string[];
  /** Match before it and not after. */
  readonly left: readonly string[];
}
