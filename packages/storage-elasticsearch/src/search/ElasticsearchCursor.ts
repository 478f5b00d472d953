import type { CollectionName, SearchCursor, SearchHit, SearchOptions, SearchOutcome } from '@millrace/kernel';
import type { BoundSearch, CompiledMapping } from '@millrace/query';
import type { ElasticsearchNames } from '../names/ElasticsearchNames.js';
import { toSearchBody } from '../query/toSearchBody.js';
import { SHARD_DOCUMENT, type PointInTime } from './PointInTime.js';
import { toQueryError } from './toQueryError.js';
import { toSearchOutcome } from './toSearchOutcome.js';

/** The search of a cursor, for its first and its later pages. */
export interface CursorSearch {
  readonly first: BoundSearch;
  readonly later: BoundSearch;
  readonly compiled: CompiledMapping;
}

/** Pages of a search over a frozen view. */
export class ElasticsearchCursor implements SearchCursor {
  private total: number | undefined;
  private maxScore: number | null = null;

  constructor(
    private readonly view: PointInTime,
    private readonly names: ElasticsearchNames,
    private readonly name: CollectionName,
    private readonly search: CursorSearch,
  ) {}

  async next(options?: SearchOptions): Promise<SearchOutcome> {
    try {
      return await this.readPage(options ?? {});
    } catch (error) {
      throw toQueryError(error, this.names);
    }
  }

  close(): Promise<void> {
    return this.view.close();
  }

  private async readPage(options: SearchOptions): Promise<SearchOutcome> {
    const isFirst = this.total === undefined;
    const request = isFirst ? this.search.first : this.search.later;
    const { sort, ...rest } = toSearchBody(request, this.search.compiled);
    const body = {
      ...rest,
      // Paging needs a total order; without a sort it is ordered by score.
      sort: [...((sort as readonly []) ?? [{ _score: { order: 'desc' } }]), { [SHARD_DOCUMENT]: 'asc' }],
      // The view does not change: the total of the first page holds for every page.
      ...(isFirst ? {} : { track_total_hits: false }),
    };
    const answer = await this.view.next(body, request.excess, options.signal);
    const outcome = await toSearchOutcome(answer, this.name, request, options);
    if (isFirst) {
      this.total = outcome.total;
      this.maxScore = request.sort === undefined ? (outcome.hits[0]?.score ?? null) : outcome.maxScore;
    }
    return {
      ...outcome,
      hits: outcome.hits.map((hit) => withoutTiebreak(hit, request.sort?.length ?? 0)),
      total: this.total ?? outcome.total,
      maxScore: outcome.hits.length === 0 ? null : this.maxScore,
    };
  }
}

/** Keeps the requested sort values, and removes them all if none were requested. */
function withoutTiebreak({ sort, ...hit }: SearchHit, count: number): SearchHit {
  return count === 0 || sort === undefined ? hit : { ...hit, sort: sort.slice(0, count) };
}
