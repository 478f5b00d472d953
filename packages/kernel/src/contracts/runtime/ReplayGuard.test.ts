import { describe, expect, it } from 'vitest';
import { ReplayGuard } from './ReplayGuard.js';

function open(maxKeys = 10) {
  const time = { ms: 0 };
  const clock = { nowMs: () => time.ms, monotonicMs: () => time.ms };
  return { time, guard: new ReplayGuard(clock, maxKeys) };
}

describe('ReplayGuard', () => {
  it('lets a key through once, until it expires', () => {
    const { guard, time } = open();
    expect(guard.claim('a', 100)).toBe(true);
    expect(guard.claim('a', 100)).toBe(false);
    time.ms = 99;
    expect([guard.has('a'), guard.claim('a', 100)]).toEqual([true, false]);
    time.ms = 100;
    expect([guard.has('a'), guard.claim('a', 100)]).toEqual([false, true]);
  });

  it('drops the oldest past its bound, and expired keys by and by', () => {
    const { guard, time } = open(3);
    for (const key of ['a', 'b', 'c', 'd']) guard.claim(key, 100);
    expect(guard.size).toBe(3);
    expect([guard.has('a'), guard.has('d')]).toEqual([false, true]);
    time.ms = 200;
    guard.claim('e', 100);
    expect(guard.size).toBe(1);
  });
});
