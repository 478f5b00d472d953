import { constantMatches, type Matches } from './Matches.js';
import type { QueryNode } from './QueryNode.js';

/** Documents found earlier, with a constant score. */
export class SlotsNode implements QueryNode {
  /** @param slots ascending */
  constructor(
    private readonly slots: Int32Array,
    readonly constantScore: number,
  ) {}

  estimate(): number {
    return this.slots.length;
  }

  match(): Matches {
    return constantMatches(this.slots, this.constantScore);
  }
}
