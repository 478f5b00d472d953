/** Time limit of combinatorial requests (`measureWork`): one thread runs all searches. */
export const COSTLY_TIMEOUT_MS = 800;

/** The time limit of a search is reached. Its partial results are discarded. */
export class TimeIsUp extends Error {
  constructor() {
    super('The time limit of the search is reached');
    this.name = 'TimeIsUp';
  }
}

/** The caller of the running task has disconnected: the task ends without a result. */
export class Cancelled extends Error {
  constructor() {
    super('The search was cancelled');
    this.name = 'Cancelled';
  }
}

/** When a search must end: at a time, or as soon as its caller disconnects. Checked in every long loop. */
export class Deadline {
  private readonly endMs: number;

  /** @param isCancelled whether the caller of the running task has disconnected */
  constructor(
    timeoutMs: number,
    private readonly isCancelled: () => boolean = () => false,
  ) {
    this.endMs = performance.now() + timeoutMs;
  }

  /** A copy that expires after `timeoutMs` at the latest. */
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
