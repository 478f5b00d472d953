import type { SearchCursor, SearchOptions, SearchOutcome } from '@millrace/kernel';

/** A cursor that releases, exactly once, the resources that the engine holds for it. */
export class HeldCursor implements SearchCursor {
  private isClosed = false;

  constructor(
    private readonly cursor: SearchCursor,
    private readonly release: () => void,
  ) {}

  next(options?: SearchOptions): Promise<SearchOutcome> {
    return this.cursor.next(options);
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    try {
      await this.cursor.close();
    } finally {
      this.release();
    }
  }
}
