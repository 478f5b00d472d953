/** Collections with fewer new documents are indexed quickly at the first search. */
const MIN_WRITES = 10_000;

/**
 * Of a collection with so many new documents, indexing begins while they are written: it then takes a while, and the first
 * search would wait for it.
 */
const MANY_WRITES = 100_000;

/** Writes must pause this long, so that indexing doesn't slow down a shorter import. */
const QUIET_MS = 2_000;

/**
 * Triggers indexing of collections that were filled but not searched yet, once the writes have paused or have become
 * many: the first search after an import then finds its index ready, or nearly so.
 */
export class IndexingAhead {
  private readonly writes = new Map<number, number>();
  private timer: NodeJS.Timeout | undefined;
  private lastWriteMs = 0;

  /** @param index starts indexing a collection; it may fail, because the first search tries again */
  constructor(private readonly index: (collectionNumber: number) => Promise<void>) {}

  /** A document was written to a collection that has not been searched. */
  written(collectionNumber: number): void {
    const count = (this.writes.get(collectionNumber) ?? 0) + 1;
    this.writes.set(collectionNumber, count);
    if (count < MIN_WRITES) return;
    if (count >= MANY_WRITES) {
      this.begin(collectionNumber);
      return;
    }
    // Reads the clock only now and then: this is called for each document.
    if (count % 256 === 0 || this.timer === undefined) this.lastWriteMs = performance.now();
    this.timer ??= this.arm();
  }

  /** The collection is gone. */
  forget(collectionNumber: number): void {
    this.writes.delete(collectionNumber);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writes.clear();
  }

  private arm(): NodeJS.Timeout {
    return setTimeout(() => {
      this.timer = undefined;
      if (performance.now() - this.lastWriteMs < QUIET_MS) this.timer = this.arm();
      else this.start();
    }, QUIET_MS).unref();
  }

  private start(): void {
    for (const [collectionNumber, count] of this.writes) {
      if (count >= MIN_WRITES) this.begin(collectionNumber);
    }
  }

  private begin(collectionNumber: number): void {
    this.writes.delete(collectionNumber);
    this.index(collectionNumber).catch(() => undefined);
  }
}
