/** A number of places; who finds none waits for one, for some time. First come, first served. */
export class Places {
  private readonly waiting = new Set<() => void>();

  constructor(private freeCount: number) {}

  /** @returns whether there is one, to be given back by `leave` */
  async take(withinMs: number): Promise<boolean> {
    if (this.freeCount > 0) {
      this.freeCount -= 1;
      return true;
    }
    return new Promise((resolve) => {
      const admit = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        this.waiting.delete(admit);
        resolve(false);
      }, withinMs);
      this.waiting.add(admit);
    });
  }

  /** Hands the place to the one who waits longest. */
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
