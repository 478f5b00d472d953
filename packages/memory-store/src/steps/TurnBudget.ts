/** Longest time that work in slices blocks the event loop, apart from one step. */
export const SLICE_MS = 5;

/**
 * The time that commands have taken in this turn of the event loop: a hundred requests in one packet, each within a
 * slice, would together block it as long as one large one.
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
