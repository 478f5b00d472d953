/** Longest time that work in slices holds the event loop, but for one step. */
export const SLICE_MS = 5;

/**
 * The time that commands have taken in this turn of the event loop: a hundred requests that arrive in one packet, each
 * within a slice, would together hold it as long as one large one.
 */
export class TurnBudget {
  private spentMs = 0;
  private isOpen = false;

  get isSpent(): boolean {
    return this.isOpen && this.spentMs >= SLICE_MS;
  }

  add(ms: number): void {
    if (!this.isOpen) {
      this.isOpen = true;
      this.spentMs = 0;
      setImmediate(() => {
        this.isOpen = false;
      });
    }
    this.spentMs += ms;
  }
}
