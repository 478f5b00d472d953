import { setTimeout as sleep } from 'node:timers/promises';
import type { WriteGate } from './WriteGate.js';

/** Writes wait this long at most; then they go on as before, and the switch is tried again. */
const MAX_HELD_MS = 1_000;
const MAX_TRIES = 30;
const PAUSE_MS = 300;

/** One attempt to switch. */
export interface SwitchAttempt {
  /** Done before writes are held. */
  readonly prepare: () => Promise<void>;
  /** Done while writes are held. @returns false if there is more to do than time permits */
  readonly complete: (isTimeUp: () => boolean) => Promise<boolean>;
  /** Done at the end, whatever its time. */
  readonly flip: () => Promise<void>;
}

/**
 * Holds back writes, completes what they have left, and flips.
 * @returns how long writes were held, in milliseconds
 * @throws Error if there was never enough time
 */
export async function holdFor(gate: WriteGate, { prepare, complete, flip }: SwitchAttempt): Promise<number> {
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    await prepare();
    const held = await gate.hold();
    const beganMs = performance.now();
    const isTimeUp = () => performance.now() - beganMs > MAX_HELD_MS;
    const completed = held.idle.then(async () => !isTimeUp() && (await complete(isTimeUp)));
    try {
      const isReady = await Promise.race([completed, sleep(MAX_HELD_MS, false)]);
      if (isReady && !isTimeUp()) {
        await flip();
        return performance.now() - beganMs;
      }
    } finally {
      held.release();
    }
    await completed;
    await sleep(PAUSE_MS * tries);
  }
  throw new Error(
    `writes could not be stopped within ${MAX_HELD_MS} ms: try again with less load, or without large batches`,
  );
}
