import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLogger, SOLE_NODE, type NodeObserver } from '@millrace/kernel';
import { SecuritySharing } from './SecuritySharing.js';

/** A cluster node whose storage behaves like `dropAll`. */
async function open(dropAll: () => Promise<void>) {
  const observers: NodeObserver[] = [];
  const emitted: string[] = [];
  const details: unknown[] = [];
  const receivers = new Map<string, (key: string, body: string, from: string) => void>();
  const emit = (event: string, about: unknown) => {
    emitted.push(event);
    details.push(about);
  };
  const sharing = new SecuritySharing(
    {
      ...SOLE_NODE,
      isClustered: true,
      observe: (observer: NodeObserver) => void observers.push(observer),
      receive: (topic: string, take: (key: string, body: string, from: string) => void) =>
        void receivers.set(topic, take),
    },
    { add: () => undefined, emit } as never,
    new Proxy({ dropAll }, { get: (of, name): unknown => Reflect.get(of, name) ?? (() => undefined) }) as never,
    {} as never,
    { share: () => undefined } as never,
    silentLogger,
  );
  await sharing.start();
  const receive = (topic: string, key: string, body: string) => receivers.get(topic)?.(key, body, 'n2');
  return { sharing, emitted, details, receive, missed: () => observers[0]?.missed?.('a test') };
}

const CHANGED = 'security.changedElsewhere';

describe('SecuritySharing', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('has subscriptions judged again at once after missed messages, and once revocations are read', async () => {
    const { emitted, missed } = await open(async () => undefined);
    missed();
    expect(emitted).toEqual([CHANGED]);
    await vi.advanceTimersByTimeAsync(0);
    expect(emitted).toEqual([CHANGED, CHANGED]);
  });

  it('tries until the storage answers', async () => {
    const dropAll = vi.fn(async () => undefined);
    dropAll.mockRejectedValueOnce(new Error('503')).mockRejectedValueOnce(new Error('503'));
    const { emitted, missed } = await open(dropAll);
    missed();
    await vi.advanceTimersByTimeAsync(99);
    expect(dropAll).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(dropAll).toHaveBeenCalledTimes(3);
    expect(emitted).toHaveLength(4);
  });

  it('says whose tokens may have been revoked', async () => {
    const { details, receive, missed } = await open(async () => undefined);
    receive('security.user', 'ann', '');
    receive('security.role', 'reader', '');
    receive('security.profile', 'readers', '');
    receive('security.revoked', 't1', JSON.stringify({ userId: 'bob', expiresAtMs: 1 }));
    receive('security.apiKey', 'k1', JSON.stringify({ userId: 'cat' }));
    // Of a node of an older version.
    receive('security.revoked', 't2', JSON.stringify({ expiresAtMs: 1 }));
    receive('security.apiKey', 'k2', '');
    missed();
    expect(details.slice(0, 8)).toEqual([
      { userId: 'ann', revokes: true },
      { userId: null, revokes: false },
      { userId: null, revokes: false },
      { userId: 'bob', revokes: true },
      { userId: 'cat', revokes: true },
      { userId: null, revokes: true },
      { userId: null, revokes: true },
      { userId: null, revokes: true },
    ]);
  });

  it('stops trying when the server stops', async () => {
    const dropAll = vi.fn(() => Promise.reject(new Error('503')));
    const { sharing, missed } = await open(dropAll);
    missed();
    await vi.advanceTimersByTimeAsync(50);
    await sharing.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(dropAll).toHaveBeenCalledTimes(1);
  });
});
