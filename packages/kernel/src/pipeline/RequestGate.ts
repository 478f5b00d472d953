/**
 * Back-pressure: at most `maxRunning` requests run at once, at most `maxWaiting` wait in order of arrival, the rest is
 * turned away at once.
 */
export class RequestGate {
  private running = 0;
  // Two stacks would do; an array with a moving head is enough and keeps arrival order.
  private waiting: (() => void)[] = [];
  private head = 0;
  private drained: (() => void) | undefined;

  constructor(
    private readonly maxRunning: number,
    private readonly maxWaiting: number,
  ) {}

  get runningCount(): number {
    return this.running;
  }

  get waitingCount(): number {
    return this.waiting.length - this.head;
  }

  /** True: run now. A promise: run when it resolves. False: overloaded. Each success owes one `leave`. */
  enter(): boolean | Promise<void> {
    if (this.running < this.maxRunning) {
      this.running++;
      return true;
    }
    if (this.waitingCount >= this.maxWaiting) return false;
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  leave(): void {
    const next = this.waiting[this.head];
    if (next !== undefined) {
      this.head++;
      this.compact();
      // The place is handed over: `running` stays.
      next();
      return;
    }
    this.running--;
    if (this.running === 0) this.drained?.();
  }

  /** Resolves once nothing runs or waits. */
  async whenIdle(): Promise<void> {
    if (this.running === 0) return;
    await new Promise<void>((resolve) => {
      this.drained = resolve;
    });
  }

  private compact(): void {
    if (this.head < 1024 && this.head < this.waiting.length) return;
    this.waiting = this.waiting.slice(this.head);
    this.head = 0;
  }
}
