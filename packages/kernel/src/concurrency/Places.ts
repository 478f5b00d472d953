/** A fixed number of places for work at the same time. First come, first served. */
export class Places {
  private readonly waiting = new Set<() => void>();

  constructor(private freeCount: number) {}

  /**
   * @param withinMs how long to wait for a place, in milliseconds; without it, as long as it takes
   * @returns whether a place was taken; release it with `leave`
   */
  async take(withinMs?: number): Promise<boolean> {
    if (this.freeCount > 0) {
      this.freeCount -= 1;
      return true;
    }
    return new Promise((resolve) => {
      const admit = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      const giveUp = (): void => {
        this.waiting.delete(admit);
        resolve(false);
      };
      const timer = withinMs === undefined ? undefined : setTimeout(giveUp, withinMs);
      this.waiting.add(admit);
    });
  }

  /** Passes the place to the caller that has waited longest. */
  leave(): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.freeCount += 1;
      return;
    }
    this.waiting.delete(next);
    next();
  }
}
