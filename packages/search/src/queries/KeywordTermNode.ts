import type { TermField } from '../fields/TermField.js';
import { DECODED_LENGTHS, encodeLength } from '../fields/lengthByte.js';
import { lengthFactor, termWeight } from './bm25.js';
import { constantMatches, type Matches } from './Matches.js';
import type { QueryNode } from './QueryNode.js';

/**
 * Documents with one term of a keyword field, scored by BM25 with frequency 1 and length 1. If the field has norms, the
 * length is the document's number of terms.
 */
export class KeywordTermNode implements QueryNode {
  readonly test: (slot: number) => boolean;

  constructor(
    private readonly index: TermField,
    private readonly code: number,
    private readonly boost: number,
    /** Number of documents counted as having the term; default: those that have it. */
    private readonly matchCount?: number,
  ) {
    const { column } = index;
    this.test = (slot) => {
      const found = column.codeAt(slot);
      return found === code || (found < -1 && (column.more.get(slot) as Int32Array).includes(code));
    };
  }

  get constantScore(): number | undefined {
    return this.index.field.hasNorms ? undefined : this.scoreOf(this.weight(), 1);
  }

  estimate(): number {
    return this.index.postings.count(this.code);
  }

  match(isScored: boolean): Matches {
    const { slots } = this.index.postings.list(this.code);
    if (!isScored) return constantMatches(slots, 0);
    const { constantScore } = this;
    if (constantScore !== undefined) return constantMatches(slots, constantScore);
    const { more } = this.index.column;
    const weight = this.weight();
    const scores = Float64Array.from(slots, (slot) => {
      const length = more.get(slot)?.length ?? 1;
      return this.scoreOf(weight, DECODED_LENGTHS[encodeLength(length)] as number);
    });
    return { slots, scores, score: 0 };
  }

  private weight(): number {
    return termWeight(this.index.column, this.matchCount ?? this.estimate(), this.boost);
  }

  private scoreOf(weight: number, length: number): number {
    return weight / (1 + lengthFactor(this.index.column, length));
  }
}
