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
  private readonly changedKs = new Set<number>();
  private readonly readTombstones = new Map<number, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly search: SearchThread,
    private readonly writer: WriterThread,
  ) {}

  /** Documents of this collection were written. */
  changed(k: number): void {
    this.changedKs.add(k);
    this.arm();
  }

  /** The search index has read the tombstones up to `s`. */
  caughtUp(k: number, s: number): void {
    this.readTombstones.set(k, s);
    this.arm();
  }

  /** The collection is gone. */
  forget(k: number): void {
    this.changedKs.delete(k);
    this.readTombstones.delete(k);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.changedKs.clear();
    this.readTombstones.clear();
  }

  private arm(): void {
    this.timer ??= setTimeout(() => {
      this.flush();
    }, COLLECT_MS).unref();
  }

  private flush(): void {
    this.timer = undefined;
    for (const k of this.changedKs) this.search.changed(k);
    this.changedKs.clear();
    // Tombstones that remain because the writer is down are removed at its next prune, or at the next start.
    for (const [k, s] of this.readTombstones) {
      this.writer.submit({ type: 'prune', k, s }).catch(() => undefined);
    }
    this.readTombstones.clear();
  }
}
