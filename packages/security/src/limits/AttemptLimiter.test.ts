import { describe, expect, it } from 'vitest';
import { AttemptLimiter, type Attempt } from './AttemptLimiter.js';

const WINDOW_MS = 1_000;

function open(maxFailures = 3, maxKeys?: number) {
  const time = { nowMs: 0 };
  const clock = { nowMs: () => time.nowMs, monotonicMs: () => time.nowMs };
  const limiter = new AttemptLimiter({ maxFailures, windowMs: WINDOW_MS }, clock, maxKeys);
  const begin = async (key = 'k'): Promise<Attempt> => {
    const attempt = await limiter.begin(key);
    if (typeof attempt === 'number') throw new Error(`refused for ${attempt} ms`);
    return attempt;
  };
  return { time, limiter, begin };
}

describe('AttemptLimiter', () => {
  it('refuses after the failures allowed, until the first of them has left the window', async () => {
    const { time, limiter, begin } = open();
    for (const atMs of [0, 100, 200]) {
      time.nowMs = atMs;
      (await begin()).failed();
    }
    time.nowMs = 400;
    expect(await limiter.begin('k')).toBe(600);
    time.nowMs = 999;
    expect(await limiter.begin('k')).toBe(1);
    time.nowMs = 1_000;
    (await begin()).failed();
    expect(await limiter.begin('k')).toBe(100);
  });

  it('does not count successes, and keeps keys apart', async () => {
    const { limiter, begin } = open();
    for (let i = 0; i < 20; i++) (await begin()).ended();
    for (let i = 0; i < 3; i++) (await begin('other')).failed();
    expect(await limiter.begin('other')).toBe(WINDOW_MS);
    expect(await limiter.begin('k')).toBeTypeOf('object');
  });

  it('lets no crowd of parallel attempts past the limit: they wait for those that run', async () => {
    const { limiter } = open();
    let tried = 0;
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const attempt = await limiter.begin('k');
        if (typeof attempt === 'number') return 'refused';
        tried++;
        await Promise.resolve();
        attempt.failed();
        return 'tried';
      }),
    );
    expect(tried).toBe(3);
    expect(outcomes.filter((outcome) => outcome === 'refused')).toHaveLength(47);
  });

  it('lets a crowd of parallel attempts that succeed through, all of them', async () => {
    const { limiter } = open();
    const crowd = Array.from({ length: 50 }, async () => {
      const attempt = await limiter.begin('k');
      if (typeof attempt === 'number') return false;
      await Promise.resolve();
      attempt.ended();
      return true;
    });
    expect(await Promise.all(crowd)).not.toContain(false);
  });

  it('counts an attempt once, however often it is ended', async () => {
    const { limiter, begin } = open(1);
    const attempt = await begin();
    attempt.ended();
    attempt.failed();
    expect(await limiter.begin('k')).toBeTypeOf('object');
  });

  it('forgets keys whose failures are expired, and holds no more than the maximum', async () => {
    const { time, limiter, begin } = open(3, 2_000);
    for (let i = 0; i < 1_500; i++) (await begin(`old ${i}`)).failed();
    time.nowMs = WINDOW_MS;
    for (let i = 0; i < 10_000; i++) (await begin(`new ${i}`)).failed();
    expect(limiter.keyCount).toBeLessThanOrEqual(2_000);
    expect(await limiter.begin('new 9999')).toBeTypeOf('object');
  });
});
