import { describe, expect, it } from 'vitest';
import { KeyedQueue } from './KeyedQueue.js';

describe('KeyedQueue', () => {
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('runs tasks of one key in their order, one at a time', async () => {
    const queue = new KeyedQueue();
    const trace: string[] = [];
    const task = (name: string) => async () => {
      trace.push(`+${name}`);
      await turn();
      trace.push(`-${name}`);
      return name;
    };
    const results = await Promise.all(['a', 'b', 'c'].map((name) => queue.run('k', task(name))));
    expect(results).toEqual(['a', 'b', 'c']);
    expect(trace).toEqual(['+a', '-a', '+b', '-b', '+c', '-c']);
  });

  it('lets other keys run meanwhile', async () => {
    const queue = new KeyedQueue();
    let finish: () => void = () => undefined;
    const slow = queue.run('a', () => new Promise<void>((resolve) => (finish = resolve)));
    expect(await queue.run('b', async () => 7)).toBe(7);
    finish();
    await slow;
  });

  it('goes on after a failure, which its own caller gets', async () => {
    const queue = new KeyedQueue();
    const failing = queue.run('k', () => Promise.reject(new Error('broken')));
    const next = queue.run('k', async () => 'done');
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe('done');
  });

  it('keeps nothing of idle keys', async () => {
    const queue = new KeyedQueue();
    await Promise.all(Array.from({ length: 20 }, (_, n) => queue.run(`k${n % 4}`, turn)));
    expect(queue.keyCount).toBe(0);
  });
});
