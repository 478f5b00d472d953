import { noMatches, type Matches } from './Matches.js';
import type { QueryNode } from './QueryNode.js';

/** No document. */
export class NoneNode implements QueryNode {
  readonly test = () => false;
  readonly constantScore = 0;

  estimate(): number {
    return 0;
  }

  match(): Matches {
    return noMatches();
  }
}
