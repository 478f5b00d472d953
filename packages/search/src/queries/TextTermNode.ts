import type { PostingList } from '../columns/Postings.js';
import type { TextField } from '../fields/TextField.js';
import { termWeight } from './bm25.js';
import { constantMatches, type Matches } from './Matches.js';
import { PostingScorer } from './PostingScorer.js';
import type { QueryNode } from './QueryNode.js';
import type { ScoredPostings } from './topByScore.js';

/** More than the rounding difference between products in different orders. */
const ROUNDING = 1 + 1e-12;

/** Documents that contain one term, scored by BM25. */
export class TextTermNode implements QueryNode {
  /** Undefined if no document has the term. */
  private readonly code: number | undefined;

  constructor(
    private readonly index: TextField,
    term: string,
    private readonly boost: number,
    /** Number of documents counted as having the term; default: those that have it. */
    private readonly matchCount?: number,
  ) {
    this.code = index.dictionary.find(term);
  }

  estimate(): number {
    return this.code === undefined ? 0 : this.index.postings.count(this.code);
  }

  /** For `topByScore`; undefined if no document has the term. */
  scoredPostings(): ScoredPostings | undefined {
    if (this.code === undefined) return undefined;
    const list = this.index.postings.list(this.code);
    const share = this.index.highestScores.of(this.code, () => highestOf(new PostingScorer(this.index, list, 1)));
    const weight = this.weightOf(list);
    return {
      scorer: new PostingScorer(this.index, list, weight),
      highest: share * weight * ROUNDING,
    };
  }

  match(isScored: boolean): Matches {
    if (this.code === undefined) return constantMatches(new Int32Array(0), 0);
    const list = this.index.postings.list(this.code);
    if (!isScored) return constantMatches(list.slots, 0);
    return { slots: list.slots, scores: this.scoresOf(list), score: 0 };
  }

  private scoresOf(list: PostingList): Float64Array {
    const scorer = new PostingScorer(this.index, list, this.weightOf(list));
    const scores = new Float64Array(list.slots.length);
    for (let i = 0; i < scores.length; i += 1) scores[i] = scorer.scoreAt(i);
    return scores;
  }

  private weightOf({ slots }: PostingList): number {
    return termWeight(this.index, this.matchCount ?? slots.length, this.boost);
  }
}

function highestOf(scorer: PostingScorer): number {
  let highest = 0;
  for (let i = 0; i < scorer.slots.length; i += 1) highest = Math.max(highest, scorer.scoreAt(i));
  return highest;
}
