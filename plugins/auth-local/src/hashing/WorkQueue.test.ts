import { describe, expect, it } from 'vitest';
import { WorkQueue } from './WorkQueue.js';

/** A task that ends on demand. */
function controlled() {
  const ends: (() => void)[] = [];
  let running = 0;
  let most = 0;
  const work = () => {
    most = Math.max(most, ++running);
    return new Promise<void>((resolve) => {
      ends.push(() => {
        running -= 1;
        resolve();
      });
    });
  };
  return { work, ends, most: () => most };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));
const overloaded = { id: 'core.overloaded', status: 503, retryAfterSeconds: 5 };

describe('WorkQueue', () => {
  it('never runs more than its concurrency, and runs everything in order', async () => {
    const queue = new WorkQueue({ concurrency: 3, maxWaiting: 100, maxWaitMs: 1_000 });
    const { work, ends, most } = controlled();
    const done: number[] = [];
    const all = Array.from({ length: 40 }, (_, i) => queue.run(work).then(() => done.push(i)));
    for (let i = 0; i < 40; i++) {
      await settle();
      ends[i]?.();
    }
    await Promise.all(all);
    expect(most()).toBe(3);
    expect(done).toEqual(Array.from({ length: 40 }, (_, i) => i));
  });

  it('refuses what would wait behind too many, and takes work again later', async () => {
    const queue = new WorkQueue({ concurrency: 1, maxWaiting: 1, maxWaitMs: 1_000 });
    const { work, ends } = controlled();
    const [first, second] = [queue.run(work), queue.run(work)];
    await expect(queue.run(work)).rejects.toMatchObject(overloaded);
    ends[0]?.();
    await first;
    await settle();
    ends[1]?.();
    await second;
    expect(await queue.run(async () => 'again')).toBe('again');
  });

  it('drops work that has waited too long without running it', async () => {
    let nowMs = 0;
    const queue = new WorkQueue({ concurrency: 1, maxWaiting: 10, maxWaitMs: 100 }, () => nowMs);
    const { work, ends } = controlled();
    const first = queue.run(work);
    let lateRuns = 0;
    const late = [1, 2].map(() => queue.run(async () => void (lateRuns += 1)));
    nowMs = 101;
    const inTime = queue.run(async () => 'in time');
    ends[0]?.();
    await first;
    for (const one of late) await expect(one).rejects.toMatchObject(overloaded);
    expect(await inTime).toBe('in time');
    expect(lateRuns).toBe(0);
    expect(await queue.run(async () => 'afterwards')).toBe('afterwards');
  });

  it('never runs work whose client has left while it waited, and frees its place in the queue', async () => {
    const queue = new WorkQueue({ concurrency: 1, maxWaiting: 1, maxWaitMs: 1_000 });
    const { work, ends } = controlled();
    const first = queue.run(work);
    const client = new AbortController();
    let runs = 0;
    const abandoned = queue.run(async () => void (runs += 1), client.signal);
    client.abort();
    await expect(abandoned).rejects.toMatchObject(overloaded);
    const next = queue.run(async () => 'next');
    ends[0]?.();
    await first;
    expect([await next, runs]).toEqual(['next', 0]);
    await expect(queue.run(async () => void (runs += 1), client.signal)).rejects.toThrow();
    expect(runs).toBe(0);
  });

  it('does not interrupt work that runs when its client leaves', async () => {
    const queue = new WorkQueue({ concurrency: 1, maxWaiting: 1, maxWaitMs: 1_000 });
    const { work, ends } = controlled();
    const client = new AbortController();
    const first = queue.run(() => work().then(() => 'done'), client.signal);
    client.abort();
    ends[0]?.();
    expect(await first).toBe('done');
  });

  it('frees the place of work that fails', async () => {
    const queue = new WorkQueue({ concurrency: 1, maxWaiting: 10, maxWaitMs: 100 });
    await expect(queue.run(() => Promise.reject(new Error('x')))).rejects.toThrow('x');
    await expect(
      queue.run(() => {
        throw new Error('y');
      }),
    ).rejects.toThrow('y');
    expect(await queue.run(async () => 1)).toBe(1);
  });
});
