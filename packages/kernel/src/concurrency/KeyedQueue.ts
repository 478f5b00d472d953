/**
 * Runs tasks with the same key one after the other and tasks with different keys concurrently. Idle keys use no memory.
 */
export class KeyedQueue {
  private readonly tails = new Map<string, Promise<unknown>>();

  /** Number of keys with a running or waiting task. */
  get keyCount(): number {
    return this.tails.size;
  }

  /** Settles as the task does; a failed task doesn't prevent the next one from running. */
  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    return this.runAll([key], task);
  }

  /**
   * Runs a task that belongs to several keys. It enters all queues at once, so two such tasks never deadlock.
   * @param task rejects if it fails: it doesn't throw before its first promise
   */
  runAll<T>(keys: readonly string[], task: () => Promise<T>): Promise<T> {
    const before = keys.flatMap((key) => this.tails.get(key) ?? []);
    const work = before.length === 0 ? task() : Promise.all(before).then(task);
    const end = (): void => {
      for (const key of keys) if (this.tails.get(key) === tail) this.tails.delete(key);
    };
    // Signals the end alone: the caller receives the failure.
    const tail = work.then(end, end);
    for (const key of keys) this.tails.set(key, tail);
    return work;
  }
}
