import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock, type Connection } from '@millrace/kernel';
import { RerunQueue } from './RerunQueue.js';

const followerAt = (remoteAddress: string, userId: string, id = userId) => ({
  connection: { id, protocol: 'memory', remoteAddress } as Connection,
  userId,
});
const settled = async () => {
  for (let turn = 0; turn < 5; turn++) await nextTurn();
};

describe('RerunQueue (FOLLOW-9)', () => {
  let nowMs = 0;
  let queue: RerunQueue;
  let begun: string[];
  let ends: Map<string, (error?: Error) => void>;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    nowMs = 0;
    queue = new RerunQueue({ ...systemClock, monotonicMs: () => nowMs });
    begun = [];
    ends = new Map();
  });
  afterEach(() => void vi.useRealTimers());

  const run = (follower: ReturnType<typeof followerAt>, name: string) =>
    queue.run([follower], async () => {
      begun.push(name);
      await new Promise<void>((resolve, reject) => {
        ends.set(name, (error) => (error === undefined ? resolve() : reject(error)));
      });
    });
  const end = async (name: string, error?: Error) => {
    ends.get(name)?.(error);
    await settled();
  };

  it('runs one search of a user at a time, in order, also after one that failed', async () => {
    const user = followerAt('192.0.2.1', 'ada');
    const first = run(user, 'a').catch((error: Error) => error.message);
    const others = [run(user, 'b'), run(user, 'c')];
    expect(begun).toEqual(['a']);
    await end('a', new Error('no result'));
    expect(await first).toBe('no result');
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    await end('c');
    await Promise.all(others);
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('has a place for a second user at once, and gives turns to addresses, users and connections', async () => {
    const one = followerAt('192.0.2.1', 'one', 'one-1');
    for (let n = 0; n < 3; n++) void run(one, `one-1 ${n}`);
    void run(followerAt('192.0.2.1', 'one', 'one-2'), 'one-2');
    void run(followerAt('192.0.2.2', 'two'), 'two');
    expect(begun).toEqual(['one-1 0', 'two']);
    void run(followerAt('192.0.2.1', 'three'), 'three');
    void run(followerAt('192.0.2.3', 'four'), 'four');
    await end('one-1 0');
    await end('three');
    await end('four');
    await end('one-1 1');
    expect(begun).toEqual(['one-1 0', 'two', 'three', 'four', 'one-1 1', 'one-2']);
  });

  it('runs a search of several users for the one who waits least', async () => {
    const [crowd, single] = [followerAt('192.0.2.1', 'crowd'), followerAt('192.0.2.2', 'single')];
    for (let n = 0; n < 3; n++) void run(crowd, `crowd ${n}`);
    const shared = queue.run([crowd, single], async () => void begun.push('shared'));
    expect(begun).toEqual(['crowd 0', 'shared']);
    await shared;
  });

  it('pauses the searches of a user that take more than half of the time', async () => {
    const user = followerAt('192.0.2.1', 'ada');
    for (const name of ['a', 'b', 'c']) void run(user, name);
    nowMs = 400;
    await end('a');
    expect(begun).toEqual(['a', 'b']);
    nowMs = 1_400;
    await end('b');
    // 200 ms of the first are left after the second has begun and 1,000 ms of it: 500 too many at half of the time.
    expect(begun).toEqual(['a', 'b']);
    void run(followerAt('192.0.2.2', 'bob'), 'bob');
    expect(begun).toEqual(['a', 'b', 'bob']);
    nowMs += 1_800;
    await vi.advanceTimersByTimeAsync(1_800);
    expect(begun).toEqual(['a', 'b', 'bob', 'c']);
  });
});
