import type { Matches } from './Matches.js';

/** A query made ready for one index. It lives for one request. */
export interface QueryNode {
  /** At most how many documents match, found without looking at them. */
  estimate(): number;
  /** All documents that match. @param isScored false: nobody looks at the scores */
  match(isScored: boolean): Matches;
  /**
   * Tests one document, where that is cheap and the score of every match is `constantScore`. A conjunction then tests
   * the documents of its shortest list instead of matching all.
   */
  readonly test?: ((slot: number) => boolean) | undefined;
  readonly constantScore?: number | undefined;
  /**
   * The living matches among which the best `limit` are, and how many living ones there are, found without looking at
   * each match. Undefined where `match` is the way.
   */
  top?(limit: number): TopMatches | undefined;
}

/** See `QueryNode.top`. */
export interface TopMatches {
  readonly matches: Matches;
  readonly total: number;
}
