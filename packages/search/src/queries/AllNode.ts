import type { CollectionIndex } from '../index/CollectionIndex.js';
import { constantMatches, type Matches } from './Matches.js';
import type { QueryNode } from './QueryNode.js';

/** Every document, with a constant score. */
export class AllNode implements QueryNode {
  readonly test = () => true;

  constructor(
    private readonly index: CollectionIndex,
    readonly constantScore: number,
  ) {}

  estimate(): number {
    return this.index.livingCount;
  }

  match(): Matches {
    return constantMatches(this.index.living(), this.constantScore);
  }
}
