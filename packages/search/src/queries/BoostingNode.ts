import { scoreAt, type Matches } from './Matches.js';
import type { QueryNode } from './QueryNode.js';
import { advance } from './setOperations.js';

/** The documents of `positive`; scores of those that `negative` matches too are multiplied. */
export class BoostingNode implements QueryNode {
  constructor(
    private readonly positive: QueryNode,
    private readonly negative: QueryNode,
    private readonly negativeBoost: number,
    private readonly boost: number,
  ) {}

  estimate(): number {
    return this.positive.estimate();
  }

  match(isScored: boolean): Matches {
    const matches = this.positive.match(isScored);
    if (!isScored) return matches;
    const { slots } = matches;
    const negative = this.negative.match(false).slots;
    const scores = new Float64Array(slots.length);
    let j = 0;
    for (let i = 0; i < slots.length; i += 1) {
      const slot = slots[i] as number;
      j = advance(negative, j, slot);
      const factor = j < negative.length && negative[j] === slot ? this.negativeBoost : 1;
      scores[i] = scoreAt(matches, i) * factor * this.boost;
    }
    return { slots, scores, score: 0 };
  }
}
