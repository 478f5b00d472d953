/** Collections with fewer new documents are indexed in a moment, when somebody searches. */
const MIN_WRITES = 10_000;

/** Writes have to pause so long, so that indexing takes nothing from an import. */
const QUIET_MS = 2_000;

/**
 * Has collections indexed that were filled but not searched yet, once the writes have paused: so the first search after
 * an import finds its index ready, or nearly so.
 */
export class IndexingAhead {
  private readonly writes = new Map<number, number>();
  private timer: NodeJS.Timeout | undefined;
  private lastWriteMs = 0;

  /** @param index begins to index a collection; it may fail, as the first search does it again */
  constructor(private readonly index: (k: number) => Promise<void>) {}

  /** A document was written to a collection that nobody has searched. */
  written(k: number): void {
    const count = (this.writes.get(k) ?? 0) + 1;
    this.writes.set(k, count);
    if (count < MIN_WRITES) return;
    // Asked for the time once in a while: this is called for each document.
    if (count % 256 === 0 || this.timer === undefined) this.lastWriteMs = performance.now();
    this.timer ??= this.arm();
  }

  /** The collection is gone. */
  forget(k: number): void {
    this.writes.delete(k);
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
    for (const [k, count] of this.writes) {
      if (count < MIN_WRITES) continue;
      this.writes.delete(k);
      this.index(k).catch(() => undefined);
    }
  }
}
