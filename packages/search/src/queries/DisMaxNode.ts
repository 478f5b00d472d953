import type { SearchScope } from '../SearchScope.js';
import { matchEach } from './matchEach.js';
import { scaleScores, type Matches } from './Matches.js';
import type { QueryNode } from './QueryNode.js';
import { unite } from './setOperations.js';

/** Documents that any of the queries matches, with the best of their scores and a fraction of the others. */
export class DisMaxNode implements QueryNode {
  constructor(
    private readonly scope: SearchScope,
    private readonly queries: readonly QueryNode[],
    private readonly tieBreaker: number,
    private readonly boost: number,
  ) {}

  estimate(): number {
    return this.queries.reduce((sum, query) => sum + query.estimate(), 0);
  }

  match(isScored: boolean): Matches {
    const { deadline, index } = this.scope;
    const matches = unite(
      matchEach(this.queries, isScored, deadline),
      index.slotCount,
      1,
      isScored,
      { kind: 'max', tieBreaker: this.tieBreaker },
      () => deadline.check(),
    );
    return scaleScores(matches, this.boost);
  }
}
