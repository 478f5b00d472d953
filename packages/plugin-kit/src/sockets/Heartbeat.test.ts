import { describe, expect, it } from 'vitest';
import { Heartbeat } from './Heartbeat.js';

describe('Heartbeat (PROTO-47)', () => {
  it('sends nothing before it has started, then one per interval', () => {
    let sent = 0;
    const heartbeat = new Heartbeat(1_000, () => sent++);
    heartbeat.watch(performance.now() + 1_000_000);
    expect(sent).toBe(0);
    expect(heartbeat.start()).toBe(1_000);
    const startMs = performance.now();
    heartbeat.watch(startMs - 1 + 500);
    expect(sent).toBe(0);
    heartbeat.watch(startMs + 1_000);
    heartbeat.watch(startMs + 1_999);
    expect(sent).toBe(1);
    heartbeat.watch(startMs + 2_000);
    expect(sent).toBe(2);
  });
});
