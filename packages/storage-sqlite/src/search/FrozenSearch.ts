import type { Excess, SearchRequest } from '@millrace/query';
import {
  HitWriter,
  writeOutcome,
  type ExecutedSearch,
  type PageLimits,
  type WrittenOutcome,
} from '@millrace/search';
import type { CollectionRows } from './index/CollectionRows.js';

/** Longer pages are not made ahead: other searches would wait for them. */
const MAX_AHEAD = 1_000;

/** An open cursor: the result of a search, given out page by page. Its first page carries the aggregations. */
export class FrozenSearch {
  private given = 0;
  private ahead: { readonly result: WrittenOutcome; readonly count: number } | undefined;
  private readonly writer: HitWriter;

  constructor(
    readonly k: number,
    private readonly search: ExecutedSearch,
    readonly request: SearchRequest,
    rows: CollectionRows,
  ) {
    this.writer = new HitWriter(rows, request.source, true, search.extras);
  }

  /** What the request asks too much of by its text alone. */
  get excess(): Excess | undefined {
    return this.search.excess;
  }

  /** The next page. To be called inside a read transaction. @throws as `writeOutcome`; the same page can be asked for again */
  nextPage(limits: PageLimits): WrittenOutcome {
    const { result, count } = this.ahead ?? this.writePage(limits);
    this.ahead = undefined;
    // Only now: a page that could not be read can be asked for again.
    this.given += count;
    return result;
  }

  /**
   * Makes the page that will be asked for next, unless it is long: its reader is busy with the one before meanwhile. To
   * be called inside a read transaction.
   */
  readAhead(limits: PageLimits): void {
    const isOver = this.given >= (this.search.ranking?.length ?? 0);
    if (isOver || this.request.size > MAX_AHEAD || this.ahead !== undefined) return;
    this.ahead = this.writePage(limits);
  }

  private writePage(limits: PageLimits): {
    readonly result: WrittenOutcome;
    readonly count: number;
  } {
    const { search } = this;
    const isFirst = this.given === 0;
    const hits = search.ranking?.hits(this.given, this.given + this.request.size) ?? [];
    const result = writeOutcome(
      isFirst ? search : { ...search, aggregations: undefined },
      hits,
      this.writer,
      limits,
    );
    return { result, count: hits.length };
  }
}
