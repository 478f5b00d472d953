import { coreErrors } from '@millrace/kernel';

/** Limits of a `WorkQueue`. */
export interface WorkQueueLimits {
  /** Pieces of work that run at the same time. */
  readonly concurrency: number;
  /** Pieces that may wait behind them. */
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
}

/**
 * Runs a few pieces of work at a time, the others wait in order. A hash takes tens of MiB: without a bound a thousand
 * logins at once would take all memory, and the thread pool that files and the name service need as well.
 */
export class WorkQueue {
  private runningCount = 0;
  private readonly waiting: {
    readonly sinceMs: number;
    readonly start: (isLate: boolean) => void;
  }[] = [];

  constructor(
    private readonly limits: WorkQueueLimits,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** @throws core.overloaded (503) when too many wait already, or the wait took too long */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const { concurrency, maxWaiting } = this.limits;
    if (this.runningCount < concurrency) this.runningCount += 1;
    else {
      if (this.waiting.length >= maxWaiting) throw overloaded();
      // Whoever ends hands the place on, so the count stays as it is.
      const isLate = await new Promise<boolean>((start) => {
        this.waiting.push({ sinceMs: this.nowMs(), start });
      });
      if (isLate) throw overloaded();
    }
    try {
      return await work();
    } finally {
      this.handOn();
    }
  }

  private handOn(): void {
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) {
      // Work that nobody waits for any more would only make those behind it late too.
      const isLate = this.nowMs() - next.sinceMs > this.limits.maxWaitMs;
      next.start(isLate);
      if (!isLate) return;
    }
    this.runningCount -= 1;
  }
}

function overloaded(): Error {
  return coreErrors.overloaded({}, { retryAfterSeconds: 5 });
}
