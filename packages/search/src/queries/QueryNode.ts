import type { Matches } from './Matches.js';

/** A query compiled for one index. It lives for one request. */
export interface QueryNode {
  /** An upper bound of the number of matches, computed without matching. */
  estimate(): number;
  /** All documents that match. @param isScored false: the caller doesn't read the scores */
  match(isScored: boolean): Matches;
  /**
   * Tests one document. Present if that is cheap and every match scores `constantScore`: a conjunction then tests the
   * documents of its shortest list instead of matching all.
   */
  readonly test?: ((slot: number) => boolean) | undefined;
  readonly constantScore?: number | undefined;
  /** The matches that pass `test`, with their scores; absent: they are tested one by one. */
  narrow?(matches: Matches): Matches;
  /**
   * Living matches that include the best `limit`, and the number of all living matches, computed without scoring each
   * match. Undefined if the caller has to use `match`.
   */
  top?(limit: number): TopMatches | undefined;
}

/** See `QueryNode.top`. */
export interface TopMatches {
  readonly matches: Matches;
  readonly total: number;
}
