import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { RerunQueue } from './RerunQueue.js';

describe('RerunQueue (FOLLOW-9)', () => {
  it('runs two searches at a time, in order, also after one that failed', async () => {
    const queue = new RerunQueue();
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const all = [0, 1, 2, 3, 4].map(async (n) =>
      queue.run(async () => {
        begun.push(n);
        await new Promise<void>((end) => ends.push(end));
        if (n === 1) throw new Error('no result');
      }),
    );
    const settled = Promise.allSettled(all);
    await nextTurn();
    expect(begun).toEqual([0, 1]);
    ends[1]?.();
    await nextTurn();
    expect(begun).toEqual([0, 1, 2]);
    ends[0]?.();
    ends[2]?.();
    await nextTurn();
    expect(begun).toEqual([0, 1, 2, 3, 4]);
    ends[3]?.();
    ends[4]?.();
    const results = await settled;
    expect(results.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, true, true]); // prettier-ignore
    await queue.run(async () => undefined);
  });
});
