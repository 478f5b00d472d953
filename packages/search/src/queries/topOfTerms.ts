import type { CollectionIndex } from '../index/CollectionIndex.js';
import { noMatches } from './Matches.js';
import type { QueryNode, TopMatches } from './QueryNode.js';
import { TextTermNode } from './TextTermNode.js';
import { countUnion, topByScore } from './topByScore.js';

/** For more lists, merging them completely is as fast. */
const MAX_LISTS = 16;

/** The best documents with at least one of several terms of text fields; undefined for other clauses. */
export function topOfTerms(
  clauses: readonly QueryNode[],
  index: CollectionIndex,
  limit: number,
): TopMatches | undefined {
  if (clauses.length > MAX_LISTS || !clauses.every((clause) => clause instanceof TextTermNode)) return undefined;
  const lists = clauses.map((clause) => clause.scoredPostings()).filter((list) => list !== undefined);
  if (lists.length === 0) return { matches: noMatches(), total: 0 };
  const isDead = index.deadCount === 0 ? undefined : index.dead;
  const total = countUnion(
    lists.map(({ scorer }) => scorer.slots),
    index.slotCount,
    isDead,
  );
  return { matches: topByScore(lists, limit, isDead), total };
}
