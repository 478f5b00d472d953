import { coreErrors, Queue } from '@millrace/kernel';

/** Limits of a `WorkQueue`. */
export interface WorkQueueLimits {
  /** Tasks that run at the same time. */
  readonly concurrency: number;
  /** Tasks that may wait. */
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
}

/** How a wait ends: the task may run, it has waited too long, or its client has disconnected. */
type Turn = 'now' | 'late' | 'abandoned';

interface Waiting {
  readonly sinceMs: number;
  readonly start: (turn: Turn) => void;
}

/**
 * Runs a few tasks at a time; the others wait in order. A hash takes tens of MiB: without a bound a thousand logins
 * at once would exhaust the memory, and the thread pool that file access and DNS lookups need too.
 */
export class WorkQueue {
  private runningCount = 0;
  private readonly waiting = new Queue<Waiting>();

  constructor(
    private readonly limits: WorkQueueLimits,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /**
   * @param signal a queued task is never run once aborted; a running task is not interrupted
   * @throws core.overloaded (503) if too many tasks are waiting, the wait took too long, or the signal was aborted
   */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (signal?.aborted === true) throw overloaded();
    const { concurrency } = this.limits;
    if (this.runningCount < concurrency) this.runningCount += 1;
    // A finishing task passes its slot on, so the count doesn't change.
    else if ((await this.wait(signal)) !== 'now') throw overloaded();
    try {
      return await work();
    } finally {
      this.handOn();
    }
  }

  private async wait(signal: AbortSignal | undefined): Promise<Turn> {
    if (this.waiting.size >= this.limits.maxWaiting) throw overloaded();
    let abandon: () => void = () => undefined;
    const turn = new Promise<Turn>((start) => {
      const entry: Waiting = { sinceMs: this.nowMs(), start };
      this.waiting.push(entry);
      abandon = () => {
        if (this.waiting.delete(entry)) start('abandoned');
      };
    });
    signal?.addEventListener('abort', abandon, { once: true });
    try {
      return await turn;
    } finally {
      signal?.removeEventListener('abort', abandon);
    }
  }

  private handOn(): void {
    for (let next = this.waiting.take(); next !== undefined; next = this.waiting.take()) {
      // Running a task whose client no longer waits would only delay the tasks behind it.
      const isLate = this.nowMs() - next.sinceMs > this.limits.maxWaitMs;
      next.start(isLate ? 'late' : 'now');
      if (!isLate) return;
    }
    this.runningCount -= 1;
  }
}

function overloaded(): Error {
  return coreErrors.overloaded({}, { retryAfterSeconds: 5 });
}
