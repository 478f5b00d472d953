import { describe, expect, it } from 'vitest';
import { silentLogger } from '../contracts/runtime/silentLogger.js';
import type { Lifecycle } from './Lifecycle.js';
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

  it('goes on stopping past one that fails or hangs', async () => {
    const hangs = part('b', { stop: () => new Promise(() => undefined) });
    const fails = part('c', { stop: () => Promise.reject(new Error('x')) });
    const all = runner(['a', part('a')], ['b', hangs], ['c', fails]);
    await all.start();
    await all.stop();
    expect(trace).toEqual(['+a', '+b', '+c', '-a']);
  });
});
