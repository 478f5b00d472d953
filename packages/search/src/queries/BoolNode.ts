import type { Deadline } from '../Deadline.js';
import type { CollectionIndex } from '../index/CollectionIndex.js';
import { constantMatches, filterMatches, scaleScores, withScore, type Matches } from './Matches.js';
import type { QueryNode, TopMatches } from './QueryNode.js';
import { topOfTerms } from './topByScore.js';
import { addOptional, intersect, restrict, subtract, unite } from './setOperations.js';

/** The clauses of a `bool`. */
export interface BoolClauses {
  readonly must: readonly QueryNode[];
  readonly filter: readonly QueryNode[];
  readonly should: readonly QueryNode[];
  readonly mustNot: readonly QueryNode[];
  /** The number of `should` clauses that a document must match. */
  readonly minimumShouldMatch: number;
  readonly boost: number;
}

/** No clauses, without a boost. */
export const NO_CLAUSES: BoolClauses = {
  must: [],
  filter: [],
  should: [],
  mustNot: [],
  minimumShouldMatch: 0,
  boost: 1,
};

/** A list must be longer than the candidates by this factor for testing each candidate to be cheaper. */
const TEST_RATIO = 4;

/*
 * Conjunction: the clause that can match the fewest documents is matched first. Each further clause either tests those
 * candidates one by one (scans of columns) or is matched and intersected (postings). So a rare term combined with a
 * range costs as much as the rare term alone.
 */
export class BoolNode implements QueryNode {
  constructor(
    private readonly index: CollectionIndex,
    private readonly clauses: BoolClauses,
    private readonly deadline: Deadline,
  ) {}

  estimate(): number {
    const { must, filter, should, minimumShouldMatch } = this.clauses;
    let least = this.index.livingCount;
    for (const clause of must) least = Math.min(least, clause.estimate());
    for (const clause of filter) least = Math.min(least, clause.estimate());
    if (minimumShouldMatch > 0) {
      least = Math.min(
        least,
        should.reduce((sum, clause) => sum + clause.estimate(), 0),
      );
    }
    return least;
  }

  top(limit: number): TopMatches | undefined {
    const { must, filter, should, mustNot, minimumShouldMatch, boost } = this.clauses;
    if (must.length + filter.length + mustNot.length > 0) return undefined;
    if (minimumShouldMatch !== 1 || boost !== 1) return undefined;
    return topOfTerms(should, this.index, limit);
  }

  match(isScored: boolean): Matches {
    const { should, mustNot, minimumShouldMatch, boost } = this.clauses;
    let matches = this.matchRequired(isScored);
    if (minimumShouldMatch > 0) {
      const optional = unite(
        matchEach(should, isScored, this.deadline),
        this.index.slotCount,
        minimumShouldMatch,
        isScored,
        undefined,
        () => this.deadline.check(),
      );
      matches = matches === undefined ? optional : intersect(matches, optional);
    } else if (isScored) {
      matches = this.addOptionalScores(matches);
    }
    matches ??= constantMatches(this.index.living(), 0);
    for (const clause of mustNot) {
      this.deadline.check();
      if (matches.slots.length === 0) break;
      matches = exclude(matches, clause);
    }
    return isScored ? scaleScores(matches, boost) : withScore(matches, 0);
  }

  private matchRequired(isScored: boolean): Matches | undefined {
    const { must, filter } = this.clauses;
    const required = [
      ...must.map((node) => ({ node, isScored, estimate: node.estimate() })),
      ...filter.map((node) => ({ node, isScored: false, estimate: node.estimate() })),
    ].sort((a, b) => a.estimate - b.estimate);
    let matches: Matches | undefined;
    for (const { node, isScored: counts, estimate } of required) {
      this.deadline.check();
      if (matches === undefined) {
        matches = counts ? node.match(true) : withScore(node.match(false), 0);
      } else if (matches.slots.length === 0) {
        return matches;
      } else {
        matches = narrow(matches, node, counts, estimate);
      }
    }
    return matches;
  }

  private addOptionalScores(required: Matches | undefined): Matches | undefined {
    const { should } = this.clauses;
    if (should.length === 0) return required;
    let matches = required ?? constantMatches(this.index.living(), 0);
    for (const clause of should) {
      this.deadline.check();
      matches = addOptional(matches, clause.match(true));
    }
    return matches;
  }
}

function narrow(matches: Matches, node: QueryNode, isScored: boolean, estimate: number): Matches {
  const { test } = node;
  const isTestable = test !== undefined && (!isScored || node.constantScore !== undefined);
  if (isTestable && estimate > matches.slots.length * TEST_RATIO) {
    const kept = node.narrow?.(matches) ?? filterMatches(matches, test);
    return isScored ? addConstant(kept, node.constantScore ?? 0) : kept;
  }
  return isScored ? intersect(matches, node.match(true)) : restrict(matches, node.match(false).slots);
}

function addConstant(matches: Matches, score: number): Matches {
  return {
    slots: matches.slots,
    scores: matches.scores?.map((own) => own + score),
    score: matches.score + score,
  };
}

function exclude(matches: Matches, node: QueryNode): Matches {
  const { test } = node;
  if (test !== undefined && node.estimate() > matches.slots.length * TEST_RATIO) {
    return filterMatches(matches, (slot) => !test(slot));
  }
  return subtract(matches, node.match(false).slots);
}

/** The matches of each clause. @throws TimeIsUp, Cancelled between clauses */
export function matchEach(nodes: readonly QueryNode[], isScored: boolean, deadline: Deadline): readonly Matches[] {
  return nodes.map((node) => {
    deadline.check();
    return node.match(isScored);
  });
}
