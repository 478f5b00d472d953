import { Lifecycle as Scope, scoped } from 'tsyringe';

/** Searches at a time. */
const MAX_RUNNING = 2;

/**
 * Searches of followed searches that run again, a few at a time and in order, so that many of them delay other requests
 * no more than a few.
 */
@scoped(Scope.ContainerScoped)
export class RerunQueue {
  private runningCount = 0;
  private readonly waiting = new Set<() => void>();

  async run(search: () => Promise<void>): Promise<void> {
    if (this.runningCount < MAX_RUNNING) this.runningCount += 1;
    else await new Promise<void>((begin) => this.waiting.add(begin));
    try {
      await search();
    } finally {
      this.end();
    }
  }

  /** Gives the turn to the next search. */
  private end(): void {
    const [next] = this.waiting;
    if (next === undefined) this.runningCount -= 1;
    else {
      this.waiting.delete(next);
      next();
    }
  }
}
