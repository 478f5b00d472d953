import type { SearchThread } from './search/SearchThread.js';
import type { WriterThread } from './writer/WriterThread.js';

/** Hints are collected this long, so that a stream of writes sends a few messages per second and not one per write. */
const COLLECT_MS = 250;

/**
 * Passes non-urgent information between the writing and the searching side: the collections that were written to, so
 * that the search index catches up in idle time; and the tombstones that the index has read, so that they can be
 * removed.
 */
export class SearchHints {
  private readonly changedCollections = new Set<number>();
  private readonly readTombstones = new Map<number, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly search: SearchThread,
    private readonly writer: WriterThread,
  ) {}

  /** Documents of this collection were written. */
  changed(collectionNumber: number): void {
    this.changedCollections.add(collectionNumber);
    this.arm();
  }

  /** The search index has read the tombstones up to this one. */
  caughtUp(collectionNumber: number, tombstoneNumber: number): void {
    this.readTombstones.set(collectionNumber, tombstoneNumber);
    this.arm();
  }

  /** The collection is gone. */
  forget(collectionNumber: number): void {
    this.changedCollections.delete(collectionNumber);
    this.readTombstones.delete(collectionNumber);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.changedCollections.clear();
    this.readTombstones.clear();
  }

  private arm(): void {
    this.timer ??= setTimeout(() => {
      this.flush();
    }, COLLECT_MS).unref();
  }

  private flush(): void {
    this.timer = undefined;
    for (const collectionNumber of this.changedCollections) this.search.changed(collectionNumber);
    this.changedCollections.clear();
    // Tombstones that remain because the writer is down are removed at its next prune, or at the next start.
    for (const [collectionNumber, tombstoneNumber] of this.readTombstones) {
      this.writer.submit({ type: 'prune', collectionNumber, tombstoneNumber }).catch(() => undefined);
    }
    this.readTombstones.clear();
  }
}
