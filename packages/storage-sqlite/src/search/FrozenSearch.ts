import type { SearchRequest } from '@millrace/query';
import { writeOutcome, type ExecutedSearch } from './executeSearch.js';
import type { CollectionRows } from './index/CollectionRows.js';
import { HitWriter } from './results/HitWriter.js';

/** Longer pages are not made ahead: other searches would wait for them. */
const MAX_AHEAD = 1_000;

/** An open cursor: the result of a search, given out page by page. Its first page carries the aggregations. */
export class FrozenSearch {
  private given = 0;
  private ahead: { readonly json: string; readonly count: number } | undefined;
  private readonly writer: HitWriter;

  constructor(
    readonly k: number,
    private readonly search: ExecutedSearch,
    private readonly request: SearchRequest,
    rows: CollectionRows,
  ) {
    this.writer = new HitWriter(rows, request.source, true, search.extras);
  }

  /** The next page as JSON of a `SearchOutcome`. To be called inside a read transaction. */
  nextPage(): string {
    const { json, count } = this.ahead ?? this.writePage();
    this.ahead = undefined;
    // Only now: a page that could not be read can be asked for again.
    this.given += count;
    return json;
  }

  /**
   * Makes the page that will be asked for next, unless it is long: its reader is busy with the one before meanwhile. To
   * be called inside a read transaction.
   */
  readAhead(): void {
    const isOver = this.given >= (this.search.ranking?.length ?? 0);
    if (isOver || this.request.size > MAX_AHEAD || this.ahead !== undefined) return;
    this.ahead = this.writePage();
  }

  private writePage(): { readonly json: string; readonly count: number } {
    const { search } = this;
    const isFirst = this.given === 0;
    const hits = search.ranking?.hits(this.given, this.given + this.request.size) ?? [];
    const json = writeOutcome(
      isFirst ? search : { ...search, aggregations: undefined },
      hits,
      this.writer,
    );
    return { json, count: hits.length };
  }
}
