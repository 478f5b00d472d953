import { describe, expect, it } from 'vitest';
import { Barriers } from './Barriers.js';
import { Peers } from './Peers.js';

function open(...ids: string[]) {
  const peers = new Peers();
  for (const id of ids) peers.markSeen(id, 0);
  return { peers, barriers: new Barriers(peers) };
}

describe('Barriers', () => {
  it('a barrier is complete once every living node has acknowledged that far', async () => {
    const { barriers } = open('a', 'b');
    const outcome = barriers.add(5, 1_000);
    barriers.acknowledged('a', 9);
    barriers.acknowledged('b', 4);
    let isDone = false;
    void outcome.then(() => (isDone = true));
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(isDone).toBe(false);
    barriers.acknowledged('b', 5);
    expect(await outcome).toMatchObject({ isComplete: true });
  });

  it('a barrier waits for no node that is gone', async () => {
    const { peers, barriers } = open('a', 'b');
    const outcome = barriers.add(1, 1_000);
    barriers.acknowledged('a', 1);
    peers.drop('b');
    barriers.forget('b');
    expect(await outcome).toMatchObject({ isComplete: true });
    const next = barriers.add(2, 1_000);
    barriers.acknowledged('a', 2);
    expect(await next).toMatchObject({ isComplete: true });
  });

  it('a barrier that is not complete in time says so, and when it is after all', async () => {
    const { barriers } = open('a');
    const { isComplete, whenComplete } = await barriers.add(1, 10);
    expect(isComplete).toBe(false);
    barriers.acknowledged('a', 1);
    await whenComplete;
  });
});
