/** One condition of `minimum_should_match`: it applies if there are more than `above` optional clauses. */
export interface MinimumShouldMatchRule {
  /** -1: always. */
  readonly above: number;
  /** Clauses, or percent of them; negative: how many may be missing. */
  readonly amount: number;
  readonly isPercent: boolean;
}

/**
 * `minimum_should_match`, parsed (`"2<-25% 9<-3"` has two rules); `resolveMinimumShouldMatch` applies it to a number.
 */
export type MinimumShouldMatch = readonly MinimumShouldMatchRule[];
