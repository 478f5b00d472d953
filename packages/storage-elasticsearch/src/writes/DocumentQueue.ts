/**
 * Serializes the writes of one document on this node, which would otherwise overtake each other in Elasticsearch, where
 * all but one would have to start again. A call queues for all of its documents at once, so calls wait only for earlier
 * ones and can't deadlock.
 */
export class DocumentQueue {
  private readonly tails = new Map<string, Promise<void>>();

  /** Runs `work` after everything that was queued earlier for any of the keys. */
  async run<T>(keys: ReadonlySet<string>, work: () => Promise<T>): Promise<T> {
    let finish = (): void => undefined;
    const done = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const before = new Set<Promise<void>>();
    for (const key of keys) {
      const tail = this.tails.get(key);
      if (tail !== undefined) before.add(tail);
      this.tails.set(key, done);
    }
    await Promise.all(before);
    try {
      return await work();
    } finally {
      for (const key of keys) if (this.tails.get(key) === done) this.tails.delete(key);
      finish();
    }
  }
}
