import { memoryErrors } from '@millrace/kernel';

/** Releases a slot; may be called twice. */
export type ReleaseSlot = () => void;

/**
 * Limits the number of calls that may hold a dedicated connection: blocking actions and transactions (MEM-41). Both
 * engines count in the same way, so that a program sees the same limit on each.
 */
export class BlockingSlots {
  private takenCount = 0;

  constructor(private readonly slotCount: number) {}

  /** @throws memory.unavailable at once if all are taken */
  take(): ReleaseSlot {
    if (this.takenCount >= this.slotCount) {
      const reason = `all ${this.slotCount} connections for blocking actions and transactions are in use`;
      throw memoryErrors.unavailable({ reason });
    }
    this.takenCount++;
    let isTaken = true;
    return () => {
      if (isTaken) this.takenCount--;
      isTaken = false;
    };
  }
}
