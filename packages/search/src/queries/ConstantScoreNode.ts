import { withScore, type Matches } from './Matches.js';
import type { QueryNode } from './QueryNode.js';

/** The documents of another query, with a constant score. */
export class ConstantScoreNode implements QueryNode {
  readonly test: QueryNode['test'];

  constructor(
    private readonly inner: QueryNode,
    readonly constantScore: number,
  ) {
    this.test = inner.test;
  }

  estimate(): number {
    return this.inner.estimate();
  }

  match(): Matches {
    return withScore(this.inner.match(false), this.constantScore);
  }
}
