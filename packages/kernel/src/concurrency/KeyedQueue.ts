/** Runs tasks of one key one after the other, tasks of different keys at once. Holds nothing once a key is idle. */
export class KeyedQueue {
  private readonly tails = new Map<string, Promise<unknown>>();

  /** Number of keys with a task that runs or waits. */
  get keyCount(): number {
    return this.tails.size;
  }

  /** Resolves or rejects as the task does; the failure of one task does not keep the next from running. */
  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    return this.runAll([key], task);
  }

  /**
   * Runs a task that belongs to several keys. All its places are taken at once, so two such tasks never wait for each
   * other.
   */
  async runAll<T>(keys: readonly string[], task: () => Promise<T>): Promise<T> {
    const before = keys.flatMap((key) => this.tails.get(key) ?? []);
    const work = before.length === 0 ? task() : Promise.all(before).then(task);
    // The tail only tells when the task is over: its failure belongs to this caller alone.
    const tail = work.then(
      () => undefined,
      () => undefined,
    );
    for (const key of keys) this.tails.set(key, tail);
    try {
      return await work;
    } finally {
      for (const key of keys) if (this.tails.get(key) === tail) this.tails.delete(key);
    }
  }
}
