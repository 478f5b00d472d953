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

  /** @throws TimeIsUp */
  check(): void {
    if (performance.now() > this.endMs) throw new TimeIsUp();
  }
}
