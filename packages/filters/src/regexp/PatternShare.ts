/**
 * What the patterns of one filter share: searches of long values may follow so many steps of all of them together, each
 * pattern in proportion to its own. A step followed takes some 5 ns.
 */
export interface PatternShare {
  /** Of all patterns. */
  steps: number;
}

const MAX_FOLLOWED = 20_000_000;
/** So many steps are searched through 50,000 characters, whatever is found there. */
const MIN_STEPS = 400;

/** Steps that a search may follow, per step of its pattern. */
export function followedPerStep({ steps }: PatternShare): number {
  return Math.floor(MAX_FOLLOWED / Math.max(MIN_STEPS, steps));
}
