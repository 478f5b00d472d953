/** Identifiers of the filters affected by a change. */
export interface MatchChange {
  /** Match after the change but not before. */
  readonly entered: readonly string[];
  /** Match before and after. */
  readonly stayed: readonly string[];
  /** Match before the change but not after. */
  readonly left: readonly string[];
}
