import {
  MillraceError,
  type CollectionName,
  type ScannedDocument,
  type SearchCursor,
  type SearchOptions,
  type SearchOutcome,
} from '@millrace/kernel';
import type { Query, SearchRequest } from '@millrace/query';
import type { CollectionUses } from './CollectionUses.js';
import type { Catalog } from './catalog/Catalog.js';
import type { Collection } from './catalog/CollectionMapping.js';
import type { SearchThread } from './search/SearchThread.js';
import { isWholeCollection } from './search/isWholeCollection.js';
import type { WriterThread } from './writer/WriterThread.js';

/** Runs searches, cursors and scans on the search thread, with the current number of the collection. */
export class Readers {
  constructor(
    private readonly catalog: Catalog,
    private readonly search: SearchThread,
    private readonly uses: CollectionUses,
    private readonly writer: WriterThread,
    /** The last reader of this number has finished: its tables may be dropped. */
    private readonly retire: (collectionNumber: number) => void,
  ) {}

  /** Runs one search on the collection. @throws storage.index_not_found, storage.collection_not_found */
  run<T>(
    name: CollectionName,
    search: (thread: SearchThread, collectionNumber: number) => Promise<T>,
    options?: SearchOptions,
  ): Promise<T> {
    const run = async ({ number: collectionNumber }: Collection): Promise<T> => {
      const searchable = this.uses.search(collectionNumber);
      if (searchable !== undefined) await searchable;
      return search(this.search, collectionNumber);
    };
    return this.onCurrentNumber(name, run, options);
  }

  openCursor(name: CollectionName, request: SearchRequest, options?: SearchOptions): Promise<SearchCursor> {
    const open = async (collection: Collection): Promise<SearchCursor> => {
      const { number: collectionNumber } = collection;
      await this.uses.hold(collectionNumber, 'cursors', !isWholeCollection(request));
      const release = () => {
        this.release(collection, collectionNumber, 'cursors');
      };
      try {
        return new HeldCursor(await this.search.openCursor(collectionNumber, request, options), release);
      } catch (error) {
        release();
        throw error;
      }
    };
    return this.onCurrentNumber(name, open, options);
  }

  async *scan(name: CollectionName, query: Query, options?: SearchOptions): AsyncGenerator<readonly ScannedDocument[]> {
    const { collection, collectionNumber } = await this.onCurrentNumber(
      name,
      async (current) => {
        const number = current.number;
        await this.uses.hold(number, 'scans');
        return { collection: current, collectionNumber: number };
      },
      options,
    );
    try {
      yield* this.search.scan(collectionNumber, query, options);
    } catch (error) {
      // Deleted meanwhile: reported like any other absent collection.
      if (this.catalog.find(name) === undefined) this.catalog.collection(name);
      throw error;
    } finally {
      this.release(collection, collectionNumber, 'scans');
    }
  }

  private release(collection: Collection, collectionNumber: number, reader: 'cursors' | 'scans'): void {
    const isHeld = this.uses.release(collectionNumber, reader);
    if (!isHeld && collection.formerNumbers.delete(collectionNumber)) this.retire(collectionNumber);
  }

  /**
   * A truncate or a deletion can drop the tables during a search. The search is then repeated on the collection's
   * current number, or refused if the collection no longer exists.
   */
  private async onCurrentNumber<T>(
    name: CollectionName,
    run: (collection: Collection) => Promise<T>,
    options: SearchOptions | undefined,
  ): Promise<T> {
    for (;;) {
      const collection = this.catalog.collection(name);
      const { number: collectionNumber } = collection;
      try {
        return await run(collection);
      } catch (error) {
        const isRefused = error instanceof MillraceError && error.status === 400;
        if (isRefused || options?.signal?.aborted === true) throw error;
        // The writer may be ahead of its responses: this response arrives after all of them.
        await this.writer.submit({ type: 'ping' }).catch(() => undefined);
        if (this.catalog.find(name)?.number === collectionNumber) throw error;
      }
    }
  }
}

/** A cursor that releases, exactly once, the resources that the engine holds for it. */
class HeldCursor implements SearchCursor {
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
