/** What multiplies by its text alone (`measureWork`) may take no longer: one thread searches for all. */
export const COSTLY_TIMEOUT_MS = 800;

/** The time of a search is up. What was found until then is not given out. */
export class TimeIsUp extends Error {
  constructor() {
    super('The time limit of the search is reached');
    this.name = 'TimeIsUp';
  }
}

/** When a search has to end. */
export class Deadline {
  private readonly endMs: number;

  constructor(timeoutMs: number) {
    this.endMs = performance.now() + timeoutMs;
  }

  /** The same, but for at most so long from now. */
  within(timeoutMs: number): Deadline {
    return new Deadline(Math.min(timeoutMs, this.endMs - performance.now()));
  }

  get isOver(): boolean {
    return performance.now() > this.endMs;
  }

  /** @throws TimeIsUp */
  check(): void {
    if (this.isOver) throw new TimeIsUp();
  }
}
