import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLogger, SOLE_NODE, type NodeObserver } from '@millrace/kernel';
import { SecuritySharing } from './SecuritySharing.js';

/** A cluster node whose storage behaves like `dropAll`. */
async function open(dropAll: () => Promise<void>) {
  const observers: NodeObserver[] = [];
  const emitted: string[] = [];
  const sharing = new SecuritySharing(
    {
      ...SOLE_NODE,
      isClustered: true,
      observe: (observer: NodeObserver) => void observers.push(observer),
    },
    { add: () => undefined, emit: (event: string) => void emitted.push(event) } as never,
    { dropAll } as never,
    {} as never,
    { share: () => undefined } as never,
    silentLogger,
  );
  await sharing.start();
  return { sharing, emitted, missed: () => observers[0]?.missed?.('a test') };
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
