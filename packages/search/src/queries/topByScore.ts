import type { CollectionIndex } from '../index/CollectionIndex.js';
import { noMatches, type Matches } from './Matches.js';
import type { PostingScorer } from './PostingScorer.js';
import type { QueryNode, TopMatches } from './QueryNode.js';
import { TextTermNode } from './TextTermNode.js';
import { advance } from './setOperations.js';

/*
 * The best documents of a disjunction, without scoring the others (MaxScore). All lists are walked together by
 * document. Once `limit` documents are found, the worst of them sets a bar. Lists whose highest scores sum to less than
 * the bar can't contribute a document by themselves, so they are only looked up for documents of the other lists, and
 * only if the bar is within reach. Given two frequent words, documents with only the more frequent one are never
 * visited.
 */

/** The postings of one term with their contributions to scores. */
export interface ScoredPostings {
  readonly scorer: PostingScorer;
  /** The highest of all scores. */
  readonly highest: number;
}

/** Scores are compared as 32-bit floats: a sum below the bar by less than this may round up to the bar. */
const ROUNDING = 1 + 1e-7;

/**
 * The best `limit` matches of at least one list; of equal ones, earlier documents first.
 * @param isDead by slot: 1 if the document is dead
 * @returns in the order of their slots
 */
function topByScore(lists: readonly ScoredPostings[], limit: number, isDead: Uint8Array | undefined): Matches {
  const walk = new Walk(lists, isDead);
  const best = new BestDocuments(limit);
  for (let slot = walk.next(best.bar); slot !== END; slot = walk.next(best.bar)) {
    const score = walk.scoreOf(slot, best.bar);
    if (score < 0 || !best.offer(slot, score)) continue;
    walk.raiseBar(best.bar);
  }
  return best.toMatches();
}

const END = 0x7fffffff;

/** The current positions in all lists. Lists are numbered by descending highest score. */
class Walk {
  private readonly lists: readonly ScoredPostings[];
  private readonly positions: Int32Array;
  /** By list: its contribution to the score of the current document, in the original order of the lists. */
  private readonly parts: Float64Array;
  private readonly placeOf: Int32Array;
  /** By list: the maximum contribution of it and all later lists. */
  private readonly rest: Float64Array;
  /** Lists from here on contribute no document by themselves. */
  private essential: number;

  constructor(
    given: readonly ScoredPostings[],
    private readonly isDead: Uint8Array | undefined,
  ) {
    const order = given.map((_, i) => i);
    order.sort((a, b) => highestOf(given, b) - highestOf(given, a));
    this.lists = order.map((i) => given[i] as ScoredPostings);
    this.placeOf = Int32Array.from(order);
    this.positions = new Int32Array(given.length);
    this.parts = new Float64Array(given.length);
    this.rest = new Float64Array(given.length + 1);
    for (let i = given.length - 1; i >= 0; i -= 1) {
      this.rest[i] = (this.rest[i + 1] as number) + (this.lists[i] as ScoredPostings).highest;
    }
    this.essential = given.length;
  }

  /** The next document that can be among the best. */
  next(bar: number): number {
    if (this.essential === 1) return this.nextOfFirst(bar);
    let least = END;
    for (let i = 0; i < this.essential; i += 1) {
      const { slots } = (this.lists[i] as ScoredPostings).scorer;
      const at = this.positions[i] as number;
      if (at < slots.length && (slots[at] as number) < least) least = slots[at] as number;
    }
    return least;
  }

  /** As `next`, skipping documents that stay below the bar even with the maximum contribution of the other lists. */
  private nextOfFirst(bar: number): number {
    const { scorer } = this.lists[0] as ScoredPostings;
    const { slots } = scorer;
    const rest = this.rest[1] as number;
    let at = this.positions[0] as number;
    while (at < slots.length && (scorer.scoreAt(at) + rest) * ROUNDING <= bar) at += 1;
    this.positions[0] = at;
    return at < slots.length ? (slots[at] as number) : END;
  }

  /** The score of the document that `next` returned, or a negative number if it doesn't pass the bar. */
  scoreOf(slot: number, bar: number): number {
    const { positions, parts, placeOf, rest, essential } = this;
    parts.fill(0);
    let sum = 0;
    for (let i = 0; i < this.lists.length; i += 1) {
      if (i >= essential && (sum + (rest[i] as number)) * ROUNDING <= bar) return -1;
      const { scorer } = this.lists[i] as ScoredPostings;
      const { slots } = scorer;
      let at = positions[i] as number;
      if (i >= essential) positions[i] = at = advance(slots, at, slot);
      if (slots[at] !== slot) continue;
      const part = scorer.scoreAt(at);
      parts[placeOf[i] as number] = part;
      sum += part;
      if (i < essential) positions[i] = at + 1;
    }
    if (this.isDead?.[slot] === 1) return -1;
    // Summed again in the order of the clauses, to get the same score as when all matches are scored.
    let score = 0;
    for (let i = 0; i < parts.length; i += 1) score += parts[i] as number;
    return score;
  }

  raiseBar(bar: number): void {
    while (this.essential > 0 && (this.rest[this.essential - 1] as number) * ROUNDING <= bar) {
      this.essential -= 1;
    }
  }
}

function highestOf(lists: readonly ScoredPostings[], i: number): number {
  return (lists[i] as ScoredPostings).highest;
}

/** The best documents so far, in a heap whose root is the worst of them. */
class BestDocuments {
  /** Scores must be higher, as 32-bit floats; -1 until the heap is full. */
  bar = -1;
  private count = 0;
  private readonly slots: Int32Array;
  private readonly scores: Float64Array;

  constructor(private readonly limit: number) {
    this.slots = new Int32Array(limit);
    this.scores = new Float64Array(limit);
  }

  /** Documents must be added in the order of their slots. @returns whether the bar was raised */
  offer(slot: number, score: number): boolean {
    if (this.count < this.limit) {
      this.count += 1;
      this.rise(this.count - 1, slot, score);
      if (this.count < this.limit) return false;
    } else {
      if (Math.fround(score) <= this.bar) return false;
      this.sink(slot, score);
    }
    this.bar = Math.fround(this.scores[0] as number);
    return true;
  }

  toMatches(): Matches {
    const order = new Int32Array(this.count);
    for (let i = 0; i < order.length; i += 1) order[i] = i;
    order.sort((a, b) => (this.slots[a] as number) - (this.slots[b] as number));
    return {
      slots: order.map((i) => this.slots[i] as number),
      scores: new Float64Array(order.length).map((_, i) => this.scores[order[i] as number] as number),
      score: 0,
    };
  }

  private rise(from: number, slot: number, score: number): void {
    let i = from;
    while (i > 0) {
      const parent = (i - 1) >>> 1;
      if (!this.isBetter(parent, slot, score)) break;
      this.move(parent, i);
      i = parent;
    }
    this.slots[i] = slot;
    this.scores[i] = score;
  }

  /** Replaces the root by a document. */
  private sink(slot: number, score: number): void {
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= this.count) break;
      const sibling = child + 1;
      if (sibling < this.count && this.isBetter(child, this.slots[sibling] as number, this.scores[sibling] as number)) {
        child = sibling;
      }
      if (this.isBetter(child, slot, score)) break;
      this.move(child, i);
      i = child;
    }
    this.slots[i] = slot;
    this.scores[i] = score;
  }

  /** Whether the entry at a heap index sorts before the given document. */
  private isBetter(place: number, slot: number, score: number): boolean {
    const own = Math.fround(this.scores[place] as number);
    const other = Math.fround(score);
    return own === other ? (this.slots[place] as number) < slot : own > other;
  }

  private move(from: number, to: number): void {
    this.slots[to] = this.slots[from] as number;
    this.scores[to] = this.scores[from] as number;
  }
}

/** The number of documents in at least one of the lists. @param slotCount above every slot */
function countUnion(lists: readonly Int32Array[], slotCount: number, isDead: Uint8Array | undefined): number {
  const [first] = lists;
  if (lists.length === 1 && first !== undefined && isDead === undefined) return first.length;
  const seen = new Uint8Array(slotCount);
  let count = 0;
  for (const slots of lists) {
    for (let i = 0; i < slots.length; i += 1) {
      const slot = slots[i] as number;
      count += 1 - (seen[slot] as number);
      seen[slot] = 1;
    }
  }
  if (isDead !== undefined) {
    for (let slot = 0; slot < slotCount; slot += 1) {
      count -= (seen[slot] as number) & (isDead[slot] as number);
    }
  }
  return count;
}

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
