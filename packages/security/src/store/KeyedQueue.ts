/** Runs tasks of one key one after the other, tasks of different keys at once. Holds nothing once a key is idle. */
export class KeyedQueue {
  private readonly tails = new Map<string, Promise<void>>();

  /** Resolves or rejects as the task does; a failed task doesn't keep the next from running. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.tails.get(key) ?? Promise.resolve();
    const work = before.then(task);
    const tail = work.then(ignore, ignore);
    this.tails.set(key, tail);
    try {
      return await work;
    } finally {
      if (this.tails.get(key) === tail) this.tails.delete(key);
    }
  }
}

function ignore(): void {
  // a failure belongs to its caller alone
}
