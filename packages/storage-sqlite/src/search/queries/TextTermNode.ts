import type { PostingList } from '../columns/Postings.js';
import type { TextField } from '../fields/TextField.js';
import { lengthFactor, lengthFactors, termWeight } from './bm25.js';
import { constantMatches, type Matches } from './Matches.js';
import type { QueryNode } from './QueryNode.js';

/** Scores of lower frequencies are computed once per length. */
const TABLED_FREQUENCIES = 4;

/** Documents whose text has one term, scored by BM25. */
export class TextTermNode implements QueryNode {
  private readonly code: number | undefined;

  constructor(
    private readonly text: TextField,
    term: string,
    private readonly boost: number,
    /** How many documents count as having the term; undefined: those that have it. */
    private readonly matchCount?: number,
  ) {
    this.code = text.dictionary.find(term);
  }

  estimate(): number {
    return this.code === undefined ? 0 : this.text.postings.count(this.code);
  }

  match(isScored: boolean): Matches {
    if (this.code === undefined) return constantMatches(new Int32Array(0), 0);
    const list = this.text.postings.list(this.code);
    if (!isScored) return constantMatches(list.slots, 0);
    return { slots: list.slots, scores: this.scoresOf(list), score: 0 };
  }

  private scoresOf({ slots, frequencies }: PostingList): Float64Array {
    const { text } = this;
    const weight = termWeight(text, this.matchCount ?? slots.length, this.boost);
    const scores = new Float64Array(slots.length);
    const { lengths } = text;
    const factors = text.field.hasNorms
      ? lengthFactors(text)
      : new Float64Array(256).fill(lengthFactor(text, 1));
    // Nearly all terms occur once or twice in a text: their scores depend on the length's byte alone.
    const table = new Float64Array(TABLED_FREQUENCIES * 256);
    for (let i = 256; i < table.length; i += 1) {
      const frequency = i >>> 8;
      table[i] = (weight * frequency) / (frequency + (factors[i & 255] as number));
    }
    for (let i = 0; i < slots.length; i += 1) {
      const frequency = frequencies === undefined ? 1 : (frequencies[i] as number);
      const length = lengths[slots[i] as number] as number;
      scores[i] =
        frequency < TABLED_FREQUENCIES
          ? (table[(frequency << 8) | length] as number)
          : (weight * frequency) / (frequency + (factors[length] as number));
    }
    return scores;
  }
}
