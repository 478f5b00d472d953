import { describe, expect, it } from 'vitest';
import { SendQueue } from './SendQueue.js';
import { decodeEntry } from '../redis/wire.js';

const NODE = 'abcdef0123';

/** A queue over a store that can be slow or unavailable. */
function open(limits: object = {}) {
  const entries: (readonly string[])[] = [];
  const store = {
    isAway: false,
    delayMs: 0,
    held: undefined as Promise<void> | undefined,
    losesReplies: false,
  };
  const overflows: number[] = [];
  const queue = new SendQueue(
    NODE,
    async (fields) => {
      if (store.isAway) throw new Error('away');
      if (store.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, store.delayMs));
      await store.held;
      entries.push(fields);
      if (!store.losesReplies) return;
      store.losesReplies = false;
      throw new Error('the reply was lost');
    },
    {
      maxQueuedBytes: 100_000,
      maxStreamBytes: 1e6,
      maxStreamEntries: 1_000,
      confirmTimeoutMs: 50,
      ...limits,
    },
    (count) => overflows.push(count),
  );
  const numbers = () => entries.flatMap((fields) => decodeEntry(fields)?.messages.map(({ number }) => number) ?? []);
  const quiet = async () => {
    while (queue.confirmedUpTo < queue.newest) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return { queue, entries, store, overflows, numbers, quiet };
}

describe('SendQueue', () => {
  it('sends in order, what gathers during one entry in the next', async () => {
    const { queue, entries, store, numbers, quiet } = open();
    store.delayMs = 10;
    for (let n = 0; n < 1_000; n++) queue.push('t', '', 'x');
    await quiet();
    expect(numbers()).toEqual(Array.from({ length: 1_000 }, (_, n) => n + 1));
    expect(entries.length).toBeLessThan(5);
  });

  it('sends again, with the same numbers, what may not have arrived', async () => {
    const { queue, store, numbers, quiet } = open();
    store.losesReplies = true;
    queue.push('t', '', 'x');
    queue.push('t', '', 'y');
    await quiet();
    expect(numbers()).toEqual([1, 2, 1, 2]);
  });

  it('keeps what comes while the store is away, and says so', async () => {
    const { queue, store, numbers, quiet } = open();
    store.isAway = true;
    for (let n = 0; n < 10; n++) queue.push('t', '', 'x');
    await expect.poll(() => queue.isUp).toBe(false);
    expect(queue.confirmed()).toBeUndefined();
    store.isAway = false;
    await quiet();
    expect(queue.isUp).toBe(true);
    expect(numbers()).toEqual(Array.from({ length: 10 }, (_, n) => n + 1));
  });

  it('is bounded: past its limit all that waits is dropped, and the numbers show it', async () => {
    const { queue, store, overflows, numbers, quiet } = open({ maxQueuedBytes: 10_000 });
    store.isAway = true;
    for (let n = 0; n < 200; n++) queue.push('t', '', 'x'.repeat(100));
    expect(queue.queuedBytes).toBeLessThanOrEqual(10_000);
    store.isAway = false;
    queue.push('t', '', 'last');
    await quiet();
    const arrived = numbers();
    expect(overflows.reduce((sum, count) => sum + count, 0)).toBe(201 - arrived.length);
    expect(arrived.at(-1)).toBe(201);
    expect(arrived).toEqual([...arrived].sort((a, b) => a - b));
  });

  it('lets a caller wait until all is there, but not for a slow store', async () => {
    const { queue, entries, store, quiet } = open();
    queue.push('t', '', 'x');
    const confirmed = queue.confirmed();
    expect(confirmed).toBeDefined();
    await confirmed;
    expect(queue.confirmed()).toBeUndefined();
    let release = (): void => undefined;
    store.held = new Promise((resolve) => (release = resolve));
    queue.push('t', '', 'x');
    await queue.confirmed();
    expect(entries).toHaveLength(1);
    // Known to be slow: callers no longer wait.
    expect(queue.confirmed()).toBeUndefined();
    store.held = undefined;
    release();
    await quiet();
    queue.push('t', '', 'x');
    await quiet();
    queue.push('t', '', 'x');
    expect(queue.confirmed()).toBeDefined();
  });
});
