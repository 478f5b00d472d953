import type { Clock } from './Clock.js';

/** The machine's clocks. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};
