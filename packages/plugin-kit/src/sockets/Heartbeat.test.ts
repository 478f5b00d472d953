import { describe, expect, it } from 'vitest';
import { Heartbeat } from './Heartbeat.js';

describe('Heartbeat (PROTO-47)', () => {
  it('is due never before it has started, then once per interval', () => {
    const heartbeat = new Heartbeat(1_000);
    expect(heartbeat.isDue(performance.now() + 1_000_000)).toBe(false);
    expect(heartbeat.start()).toBe(1_000);
    // Whole numbers: sums of fractions are not exact.
    const startMs = Math.ceil(performance.now());
    expect(heartbeat.isDue(startMs - 1 + 500)).toBe(false);
    expect(heartbeat.isDue(startMs + 1_000)).toBe(true);
    expect(heartbeat.isDue(startMs + 1_999)).toBe(false);
    expect(heartbeat.isDue(startMs + 2_000)).toBe(true);
  });
});
