import type { JsonValue } from '@millrace/language';
import type { BoundQuery, SearchRequest, Sort } from '@millrace/query';
import { visibleIndex, type SearchScope } from '../SearchScope.js';
import type { CollectionIndex } from '../index/CollectionIndex.js';
import { scoreAt, type Matches } from '../queries/Matches.js';
import { advance } from '../queries/setOperations.js';
import type { SortKey } from '../sorting/SortKey.js';
import { compileSort } from '../sorting/compileSort.js';
import { orderByScore, orderMatches } from '../sorting/orderMatches.js';
import { positionsAfter } from '../sorting/searchAfter.js';
import type { FoundHit } from './HitWriter.js';
import { toFloat } from '../sorting/toFloat.js';

/** The parts of a request that determine the order of its hits. */
type RankingRequest = Pick<SearchRequest<BoundQuery>, 'sort' | 'searchAfter' | 'trackScores'> & {
  /** For hits within a hit or a bucket: there a sort hides the scores even if it names them. */
  readonly isInner?: boolean;
};

/** Whether the result or its order depends on scores. */
export function needsScores(request: Pick<SearchRequest<BoundQuery>, 'sort' | 'trackScores' | 'minScore'>): boolean {
  const { sort, trackScores, minScore } = request;
  return sort === undefined || trackScores || minScore !== undefined || sort.some(({ kind }) => kind === 'score');
}

/** The hits of a search in their order. Stays valid when the collection changes. */
export interface RankedHits {
  /** The number of available hits. */
  readonly length: number;
  /** The best score of all matches, or null if SEARCH-11 requires it. */
  readonly maxScore: number | null;
  /** The hits from one rank to another. */
  hits(from: number, to: number): FoundHit[];
}

/** The hits that a search has found in an index. */
export class Ranking implements RankedHits {
  /** All matches, or a subset that contains the hits. */
  private readonly ranked: Matches;
  /** Positions of `ranked`, best first; as many as requested. */
  private readonly order: Int32Array;
  private readonly keys: readonly SortKey[];
  private readonly rowNumbers: Float64Array;
  private readonly showsScores: boolean;
  private readonly showsSort: boolean;

  constructor(
    private readonly matches: Matches,
    private readonly request: RankingRequest,
    scope: SearchScope,
    /** Number of hits that are read; 0: neither hits nor their scores. */
    private readonly limit: number,
  ) {
    const { sort, searchAfter } = request;
    this.ranked =
      sort === undefined || searchAfter !== undefined ? matches : narrowForSort(matches, sort, limit, scope);
    this.keys = sort?.map((criterion) => compileSort(criterion, this.ranked, scope)) ?? [];
    this.order = this.computeOrder(searchAfter, limit);
    this.rowNumbers = rowsOf(this.ranked, this.order, scope.index);
    // Inner hits and `top_hits` have no `sort` for a sort by `_score` alone.
    this.showsSort = sort !== undefined && !(request.isInner === true && isByScoreAlone(sort));
    this.showsScores =
      sort === undefined ||
      isByScoreAlone(sort) ||
      (request.isInner !== true && needsScores({ sort, trackScores: request.trackScores }));
  }

  get length(): number {
    return this.order.length;
  }

  get maxScore(): number | null {
    const { sort, trackScores } = this.request;
    const isByScore = sort === undefined || isByScoreAlone(sort);
    const { slots, scores, score } = this.matches;
    if (slots.length === 0 || this.limit === 0 || !(isByScore || trackScores)) return null;
    if (scores === undefined) return toFloat(score);
    let best = -Infinity;
    for (let i = 0; i < scores.length; i += 1) if ((scores[i] as number) > best) best = scores[i] as number;
    return toFloat(best);
  }

  hits(from: number, to: number): FoundHit[] {
    const hits: FoundHit[] = [];
    for (let rank = from; rank < Math.min(to, this.order.length); rank += 1) {
      const position = this.order[rank] as number;
      hits.push({
        rowNumber: this.rowNumbers[rank] as number,
        slot: this.ranked.slots[position] as number,
        score: this.showsScores ? toFloat(scoreAt(this.ranked, position)) : null,
        sort: this.showsSort ? this.keys.map((key) => key.show(position)) : undefined,
      });
    }
    return hits;
  }

  private computeOrder(searchAfter: readonly JsonValue[] | undefined, limit: number): Int32Array {
    const count = this.ranked.slots.length;
    const { scores } = this.ranked;
    // If all scores are equal, the matches are already sorted.
    if (this.request.sort === undefined && scores !== undefined) return orderByScore(scores, limit);
    if (searchAfter === undefined) return orderMatches(this.keys, count, limit);
    const positions = positionsAfter(this.keys, searchAfter, count);
    const order = orderMatches(
      this.keys.map((key) => keyAt(key, positions)),
      positions.length,
      limit,
    );
    return order.map((i) => positions[i] as number);
  }
}

/** The same criterion for a subset of the positions. */
function keyAt(key: SortKey, positions: Int32Array): SortKey {
  if (key.kind === 'text') return { ...key, textAt: (i) => key.textAt(positions[i] as number) };
  return { ...key, keys: Float64Array.from(positions, (position) => key.keys[position] as number) };
}

function rowsOf(matches: Matches, order: Int32Array, index: CollectionIndex): Float64Array {
  const rows = new Float64Array(order.length);
  for (let i = 0; i < rows.length; i += 1) {
    rows[i] = index.rowOf(matches.slots[order[i] as number] as number);
  }
  return rows;
}

/** Whether a sort is equivalent to the default order of hits. */
function isByScoreAlone(sort: readonly Sort[]): boolean {
  const [only, second] = sort;
  return only?.kind === 'score' && only.order === 'desc' && second === undefined;
}

/** For longer pages, visiting everything is as fast. */
const MAX_LIMIT = 10_000;

/**
 * A subset of the matches that contains the first `limit` hits. If every document matches and the first criterion is a
 * number whose column is coarsely sorted, the subset is one end of the column, found without visiting the others. Else
 * all matches.
 */
function narrowForSort(matches: Matches, sort: readonly Sort[], limit: number, scope: SearchScope): Matches {
  const { index } = scope;
  const [first] = sort;
  if (first?.kind !== 'field' || first.nested !== undefined || first.missing !== 'last') return matches;
  // After conversion to another type, different values may be equal.
  if (first.numericType !== undefined) return matches;
  if (limit > MAX_LIMIT || matches.slots.length !== index.livingCount) return matches;
  const field = visibleIndex(scope, first.field);
  if (field?.kind !== 'number' || !field.field.hasDocValues) return matches;
  const { buckets, length } = field.column;
  const { dead } = index;
  const isLiving = (slot: number) => dead[slot] === 0;
  const found = buckets?.ends(limit, first.order === 'desc', isLiving);
  if (buckets === undefined || found === undefined) return matches;
  for (let slot = buckets.length; slot < length; slot += 1) if (isLiving(slot)) found.push(slot);
  const slots = Int32Array.from(found).sort();
  return { slots, scores: matches.scores && scoresOf(slots, matches), score: matches.score };
}

function scoresOf(slots: Int32Array, matches: Matches): Float64Array {
  const scores = new Float64Array(slots.length);
  for (let i = 0, j = 0; i < slots.length; i += 1) {
    j = advance(matches.slots, j, slots[i] as number);
    scores[i] = scoreAt(matches, j);
  }
  return scores;
}
