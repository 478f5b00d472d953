/** Lets those who have much to send wait until a client has taken what waits for it. */
export class DrainWait {
  private waiting: Promise<void> | undefined;
  private resolve: (() => void) | undefined;

  wait(): Promise<void> {
    return (this.waiting ??= new Promise((resolve) => (this.resolve = resolve)));
  }

  /** The client has taken everything, or has gone. */
  drained(): void {
    this.resolve?.();
    this.waiting = undefined;
    this.resolve = undefined;
  }
}
