import { describe, expect, it } from 'vitest';
import { TokenBuckets } from './TokenBuckets.js';

function open(maxKeys?: number) {
  const time = { nowMs: 0 };
  const clock = { nowMs: () => time.nowMs, monotonicMs: () => time.nowMs };
  return { time, buckets: new TokenBuckets(clock, maxKeys) };
}

const LIMIT = { perSecond: 1, burst: 3 };

describe('TokenBuckets', () => {
  it('gives a burst, then one token each time one has been regained', () => {
    const { time, buckets } = open();
    expect([1, 2, 3, 4].map(() => buckets.take('a', LIMIT))).toEqual([0, 0, 0, 1_000]);
    expect(buckets.take('b', LIMIT)).toBe(0);
    time.nowMs += 999;
    expect(buckets.take('a', LIMIT)).toBe(1);
    time.nowMs += 1;
    expect([buckets.take('a', LIMIT), buckets.take('a', LIMIT)]).toEqual([0, 1_000]);
  });

  it('never holds more than the burst', () => {
    const { time, buckets } = open();
    buckets.take('a', LIMIT);
    time.nowMs += 3_600_000;
    expect([1, 2, 3, 4].map(() => buckets.take('a', LIMIT))).toEqual([0, 0, 0, 1_000]);
  });

  it('can be overdrawn, and then waits until the debt is paid (LIMIT-4)', () => {
    const { time, buckets } = open();
    expect([buckets.take('a', LIMIT), buckets.remaining('a', LIMIT)]).toEqual([0, 2]);
    buckets.charge('a', LIMIT, 9);
    expect([buckets.take('a', LIMIT), buckets.remaining('a', LIMIT)]).toEqual([8_000, 0]);
    expect(buckets.resetMs('a')).toBe(10_000);
    time.nowMs += 8_000;
    expect([buckets.take('a', LIMIT), buckets.take('a', LIMIT)]).toEqual([0, 1_000]);
  });

  it('keeps a bucket that is used, whatever number of keys is made up', () => {
    const { time, buckets } = open(2_000);
    const slow = { perSecond: 0.001, burst: 100 };
    for (let i = 0; i < 100; i++) buckets.take('used', slow);
    for (let i = 0; i < 100; i++) {
      time.nowMs += 500;
      for (let k = 0; k < 200; k++) buckets.take(`made up ${i} ${k}`, slow);
      expect(buckets.take('used', slow)).toBeGreaterThan(0);
      buckets.charge('used', slow, 0.000_1);
    }
    expect(buckets.keyCount).toBeLessThanOrEqual(2_000);
  });

  it('removes full buckets, and under pressure those used longest ago', () => {
    const { time, buckets } = open(2_000);
    for (let i = 0; i < 1_024; i++) buckets.take(`old ${i}`, LIMIT);
    time.nowMs += 60_000;
    buckets.take('new', LIMIT);
    expect(buckets.keyCount).toBe(1);
    for (let i = 0; i < 10_000; i++) buckets.take(`made up ${i}`, LIMIT);
    expect(buckets.keyCount).toBeLessThanOrEqual(2_000);
    expect(buckets.take('made up 9999', LIMIT)).toBe(0);
  });
});
