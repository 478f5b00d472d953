import { describe, expect, it } from 'vitest';
import { nextSlice, noteAccepted } from './nextSlice.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('nextSlice', () => {
  it('runs a slice in the next turn of the event loop', async () => {
    const seen: boolean[] = [];
    nextSlice((areArriving) => seen.push(areArriving), 60_000);
    expect(seen).toEqual([]);
    await turn();
    expect(seen).toEqual([false]);
  });

  it('lets turns pass while connections arrive (POLL-10)', async () => {
    const seen: boolean[] = [];
    nextSlice((areArriving) => seen.push(areArriving), 60_000);
    for (let n = 0; n < 5; n++) {
      noteAccepted();
      await turn();
      expect(seen).toEqual([]);
    }
    await turn();
    expect(seen).toEqual([false]);
  });

  it('does not let turns pass beyond the delay, and says that connections arrive', async () => {
    const seen: boolean[] = [];
    nextSlice((areArriving) => seen.push(areArriving));
    noteAccepted();
    await turn();
    expect(seen).toEqual([true]);
  });
});
