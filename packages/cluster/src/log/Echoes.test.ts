import { describe, expect, it } from 'vitest';
import { Echoes } from './Echoes.js';

const noCursor = () => '';

/** Takes a message, and settles as after an entry. */
function read(echoes: Echoes, number: number) {
  const isTaken = echoes.take(number, () => `cursor ${number}`);
  echoes.settle();
  return isTaken;
}

describe('messages of a node that come back through the stream', () => {
  it('resolve the waits for them and for earlier ones, and no later ones', async () => {
    const echoes = new Echoes(60_000, () => true);
    const waits = [1, 2, 3].map((number) => echoes.back(number));
    let isLast = false;
    void waits[2]?.then(() => (isLast = true));
    read(echoes, 2);
    expect(await Promise.all(waits.slice(0, 2))).toEqual([true, true]);
    expect(isLast).toBe(false);
    read(echoes, 3);
    expect(await waits[2]).toBe(true);
    expect(await echoes.back(1)).toBe(true);
  });

  it('are each taken once', () => {
    const echoes = new Echoes(60_000, () => true);
    expect([read(echoes, 1), read(echoes, 3), read(echoes, 3), read(echoes, 2)]).toEqual([true, true, false, false]);
  });

  it('have a position if it was expected, which is returned once', () => {
    const echoes = new Echoes(60_000, () => true);
    echoes.expect(2);
    for (const number of [1, 2]) read(echoes, number);
    expect([echoes.positionOf(1), echoes.positionOf(2), echoes.positionOf(2)]).toEqual([
      undefined,
      'cursor 2',
      undefined,
    ]);
  });

  it('make no caller wait while Redis is unavailable', async () => {
    let isUp = true;
    const echoes = new Echoes(60_000, () => isUp);
    const wait = echoes.back(1);
    isUp = false;
    echoes.release();
    expect(await wait).toBe(false);
    expect(await echoes.back(2)).toBe(false);
  });

  it('make no caller wait after one was late, until the next one comes back', async () => {
    const echoes = new Echoes(4, () => true);
    expect(await echoes.back(1)).toBe(false);
    expect(echoes.isWorking).toBe(false);
    expect(await echoes.back(2)).toBe(false);
    echoes.take(1, noCursor);
    expect(echoes.isWorking).toBe(true);
  });
});
