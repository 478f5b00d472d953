import { setImmediate as nextTurn } from 'node:timers/promises';

const ITEMS_PER_LOOK = 64;
const MAX_TURN_MS = 5;

/**
 * Prevents long loops from blocking the event loop: `if (pacer.isDue()) await pacer.rest()` in every iteration. Reads
 * the clock only once in several iterations; a rest is due 5 ms after the last one.
 */
export class EventLoopPacer {
  private rounds = 0;
  private sinceMs = performance.now();

  /** @param itemsPerLook lower if one iteration may take long, as with large documents */
  constructor(private readonly itemsPerLook = ITEMS_PER_LOOK) {}

  isDue(): boolean {
    if (++this.rounds % this.itemsPerLook !== 0) return false;
    return performance.now() - this.sinceMs > MAX_TURN_MS;
  }

  /** Gives all other waiting work a turn. */
  async rest(): Promise<void> {
    await nextTurn();
    this.sinceMs = performance.now();
  }
}
