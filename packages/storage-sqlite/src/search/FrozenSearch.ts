import type { SearchRequest } from '@millrace/query';
import { writeOutcome, type ExecutedSearch } from './executeSearch.js';
import type { CollectionRows } from './index/CollectionRows.js';
import { HitWriter } from './results/HitWriter.js';

/** An open cursor: the result of a search, given out page by page. Its first page carries the aggregations. */
export class FrozenSearch {
  private given = 0;
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
    const { search } = this;
    const isFirst = this.given === 0;
    const hits = search.ranking?.hits(this.given, this.given + this.request.size) ?? [];
    const outcome = writeOutcome(
      isFirst ? search : { ...search, aggregations: undefined },
      hits,
      this.writer,
    );
    // Only now: a page that could not be read can be asked for again.
    this.given += hits.length;
    return outcome;
  }
}
