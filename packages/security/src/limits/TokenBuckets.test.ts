import { describe, expect, it } from 'vitest';
import { TokenBuckets } from './TokenBuckets.js';

function open(maxKeys?: number) {
  const time = { nowMs: 0 };
  const clock = { nowMs: () => time.nowMs, monotonicMs: () => time.nowMs };
  return { time, buckets: new TokenBuckets({ perMinute: 60, burst: 3 }, clock, maxKeys) };
}

describe('TokenBuckets', () => {
  it('gives a burst, then one token each time one has been regained', () => {
    const { time, buckets } = open();
    expect([1, 2, 3, 4].map(() => buckets.take('a'))).toEqual([0, 0, 0, 1_000]);
    expect(buckets.take('b')).toBe(0);
    time.nowMs += 999;
    expect(buckets.take('a')).toBe(1);
    time.nowMs += 1;
    expect([buckets.take('a'), buckets.take('a')]).toEqual([0, 1_000]);
  });

  it('never holds more than the burst', () => {
    const { time, buckets } = open();
    buckets.take('a');
    time.nowMs += 3_600_000;
    expect([1, 2, 3, 4].map(() => buckets.take('a'))).toEqual([0, 0, 0, 1_000]);
  });

  it('removes full buckets, and under pressure those used longest ago', () => {
    const { time, buckets } = open(2_000);
    for (let i = 0; i < 1_024; i++) buckets.take(`old ${i}`);
    time.nowMs += 60_000;
    buckets.take('new');
    expect(buckets.keyCount).toBe(1);
    for (let i = 0; i < 10_000; i++) buckets.take(`made up ${i}`);
    expect(buckets.keyCount).toBeLessThanOrEqual(2_000);
    expect(buckets.take('made up 9999')).toBe(0);
  });
});
