/**
 * The budget shared by the patterns of one filter: searches of long values may follow a limited number of steps
 * together, each pattern in proportion to its size. A step takes some 5 ns.
 */
export interface PatternShare {
  /** Steps of all patterns together. */
  steps: number;
}

const MAX_FOLLOWED = 20_000_000;
/** Patterns of at most this many steps are searched through 50,000 characters, whatever these are. */
const MIN_STEPS = 400;

/** Steps that a search may follow, per step of its pattern. */
export function followedPerStep({ steps }: PatternShare): number {
  return Math.floor(MAX_FOLLOWED / Math.max(MIN_STEPS, steps));
}
