import type { Excess, SearchRequest } from '@millrace/query';
import { HitWriter, writeOutcome, type ExecutedSearch, type PageLimits, type WrittenOutcome } from '@millrace/search';
import type { CollectionRows } from './index/CollectionRows.js';

/** Longer pages are not prepared in advance: other searches would wait for them. */
const MAX_AHEAD = 1_000;

/** An open cursor: the result of a search, returned page by page. Its first page includes the aggregations. */
export class FrozenSearch {
  private given = 0;
  private ahead: { readonly result: WrittenOutcome; readonly count: number } | undefined;
  private readonly writer: HitWriter;

  constructor(
    private readonly search: ExecutedSearch,
    readonly request: SearchRequest,
    readonly rows: CollectionRows,
  ) {
    this.writer = new HitWriter(rows, request.source, true, search.extras);
  }

  /** The limits that the request exceeds, determined from the request alone. */
  get excess(): Excess | undefined {
    return this.search.excess;
  }

  /**
   * The next page. Call it inside a read transaction. @throws as `writeOutcome`; the same page can be requested again
   */
  nextPage(limits: PageLimits): WrittenOutcome {
    const { result, count } = this.ahead ?? this.writePage(limits);
    this.ahead = undefined;
    // Counted only now, so that a page that could not be read can be requested again.
    this.given += count;
    return result;
  }

  /**
   * Prepares the next page, unless it is long, while the reader processes the previous one. Call it inside a read
   * transaction.
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
    const result = writeOutcome(isFirst ? search : { ...search, aggregations: undefined }, hits, this.writer, limits);
    return { result, count: hits.length };
  }
}
