/** What multiplies by its text alone (`measureWork`) may take no longer: one thread searches for all. */
export const COSTLY_TIMEOUT_MS = 800;

/** The time of a search is up. What was found until then is not given out. */
export class TimeIsUp extends Error {
  constructor() {
    super('The time limit of the search is reached');
    this.name = 'TimeIsUp';
  }
}

/** The caller of the running task has left: the task ends without a result. */
export class Cancelled extends Error {
  constructor() {
    super('The search was cancelled');
    this.name = 'Cancelled';
  }
}

/** When a search has to end: at a time, or as soon as its caller leaves. Looked at in every long loop. */
export class Deadline {
  private readonly endMs: number;

  /** @param isCancelled whether the caller of the task that runs now has left */
  constructor(
    timeoutMs: number,
    private readonly isCancelled: () => boolean = () => false,
  ) {
    this.endMs = performance.now() + timeoutMs;
  }

  /** The same, but for at most so long from now. */
  within(timeoutMs: number): Deadline {
    return new Deadline(Math.min(timeoutMs, this.endMs - performance.now()), this.isCancelled);
  }

  get isOver(): boolean {
    return performance.now() > this.endMs;
  }

  /** @throws TimeIsUp, Cancelled */
  check(): void {
    if (this.isCancelled()) throw new Cancelled();
    if (this.isOver) throw new TimeIsUp();
  }
}
