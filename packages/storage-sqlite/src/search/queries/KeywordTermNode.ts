import type { TermField } from '../fields/TermField.js';
import { lengthFactor, termWeight } from './bm25.js';
import { constantMatches, type Matches } from './Matches.js';
import type { QueryNode } from './QueryNode.js';

/** Documents with one term of a keyword field, scored by BM25 with frequency and length 1: all alike. */
export class KeywordTermNode implements QueryNode {
  readonly test: (slot: number) => boolean;

  constructor(
    private readonly keyword: TermField,
    private readonly code: number,
    private readonly boost: number,
  ) {
    const { column } = keyword;
    this.test = (slot) => {
      const found = column.codeAt(slot);
      return found === code || (found < -1 && (column.more.get(slot) as Int32Array).includes(code));
    };
  }

  get constantScore(): number {
    const { column } = this.keyword;
    const weight = termWeight(column, this.estimate(), this.boost);
    return weight / (1 + lengthFactor(column, 1));
  }

  estimate(): number {
    return this.keyword.postings.count(this.code);
  }

  match(isScored: boolean): Matches {
    return constantMatches(
      this.keyword.postings.list(this.code).slots,
      isScored ? this.constantScore : 0,
    );
  }
}
