import { describe, expect, it } from 'vitest';
import { silentLogger } from '../contracts/runtime/silentLogger.js';
import type { Lifecycle } from '../contracts/runtime/Lifecycle.js';
import { LifecycleRunner } from './LifecycleRunner.js';

describe('LifecycleRunner', () => {
  const trace: string[] = [];
  const part = (name: string, more: Partial<Lifecycle> = {}): Lifecycle => ({
    start: async () => void trace.push(`+${name}`),
    stop: async () => void trace.push(`-${name}`),
    ...more,
  });
  const runner = (...parts: [string, Lifecycle][]) => {
    trace.length = 0;
    const made = new LifecycleRunner(silentLogger, 30, 30);
    for (const [name, each] of parts) made.add(name, each);
    return made;
  };

  it('starts in order and stops in reverse order', async () => {
    const all = runner(['a', part('a')], ['b', part('b')]);
    await all.start();
    await all.stop();
    expect(trace).toEqual(['+a', '+b', '-b', '-a']);
  });

  it('stops what had started when one fails, and names it', async () => {
    const broken = part('b', { start: () => Promise.reject(new Error('no port')) });
    const all = runner(['a', part('a')], ['bee', broken], ['c', part('c')]);
    await expect(all.start()).rejects.toThrow('bee failed to start: no port');
    expect(trace).toEqual(['+a', '-b', '-a']);
  });

  it('names who missed the deadline of the start', async () => {
    const all = runner(['sleeper', part('s', { start: () => new Promise(() => undefined) })]);
    await expect(all.start()).rejects.toThrow(/sleeper failed to start.*30 ms/);
  });

  it('gives all components together 1.6 times the time of one to stop, and each a part of it', async () => {
    const limits: number[] = [];
    const log = {
      ...silentLogger,
      error: ({ err }: { err?: unknown }) => {
        limits.push(Number(/within (\d+) ms/.exec(String(err))?.[1]));
      },
    };
    const all = new LifecycleRunner(log, 30, 30);
    const hangs = { start: async () => undefined, stop: () => new Promise<void>(() => undefined) };
    for (let i = 0; i < 10; i += 1) all.add(`part ${i}`, hangs);
    await all.start();
    await all.stop();
    expect(limits).toHaveLength(10);
    expect(limits[0]).toBe(24);
    // Rounded up: at most 1 ms each.
    expect(limits.reduce((sum, limit) => sum + limit)).toBeLessThanOrEqual(48 + 10);
  });

  it('goes on stopping past one that fails or hangs', async () => {
    const hangs = part('b', { stop: () => new Promise(() => undefined) });
    const fails = part('c', { stop: () => Promise.reject(new Error('x')) });
    const all = runner(['a', part('a')], ['b', hangs], ['c', fails]);
    await all.start();
    await all.stop();
    expect(trace).toEqual(['+a', '+b', '+c', '-a']);
  });
});
