import { Queue, type MaybePromise } from '@millrace/kernel';
import type { Steps } from './Steps.js';
import { SLICE_MS, TurnBudget } from './TurnBudget.js';

interface Job {
  readonly steps: Steps<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs work in steps that may overlap with other commands: all jobs share one slice per turn of the event loop, and
 * take turns.
 */
export class Slices {
  private readonly jobs = new Queue<Job>();
  private readonly budget = new TurnBudget();
  /** Slices that ended before their work did: for tests. */
  pauseCount = 0;

  /** Returns a value if the work ends within its first slice. @throws what the work throws */
  run<T>(steps: Steps<T>): MaybePromise<T> {
    if (this.jobs.size === 0 && !this.budget.isSpent) {
      const result = this.advance(steps);
      if (result !== undefined) return result.value;
    }
    return new Promise<unknown>((resolve, reject) => {
      this.jobs.push({ steps, resolve, reject });
      if (this.jobs.size === 1) setImmediate(() => this.turn());
    }) as Promise<T>;
  }

  private advance<T>(steps: Steps<T>): { readonly value: T } | undefined {
    const startMs = performance.now();
    for (;;) {
      const { done, value } = steps.next();
      const spentMs = performance.now() - startMs;
      if (done !== true && spentMs < SLICE_MS) continue;
      this.budget.add(spentMs);
      if (done === true) return { value };
      this.pauseCount++;
      return undefined;
    }
  }

  private turn(): void {
    const endMs = performance.now() + SLICE_MS;
    while (performance.now() < endMs) {
      const job = this.jobs.take();
      if (job === undefined) return;
      try {
        const result = this.advance(job.steps);
        if (result === undefined) this.jobs.push(job);
        else job.resolve(result.value);
      } catch (error) {
        job.reject(error);
      }
    }
    if (this.jobs.size > 0) setImmediate(() => this.turn());
  }
}
