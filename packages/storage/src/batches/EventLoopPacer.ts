import { setImmediate as nextTurn } from 'node:timers/promises';

const ITEMS_PER_LOOK = 64;
const MAX_TURN_MS = 8;

/**
 * Keeps long loops from holding the event loop: `if (pacer.isDue()) await pacer.rest()` in every round. Looks at the
 * clock once in some rounds, and is due when 8 ms have gone since the last rest.
 */
export class EventLoopPacer {
  private rounds = 0;
  private sinceMs = performance.now();

  /** @param itemsPerLook fewer where one round may take long, as with large documents */
  constructor(private readonly itemsPerLook = ITEMS_PER_LOOK) {}

  isDue(): boolean {
    if (++this.rounds % this.itemsPerLook !== 0) return false;
    return performance.now() - this.sinceMs > MAX_TURN_MS;
  }

  /** Lets everything else that waits have its turn. */
  async rest(): Promise<void> {
    await nextTurn();
    this.sinceMs = performance.now();
  }
}
