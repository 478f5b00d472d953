import { describe, expect, it } from 'vitest';
import { inTurn, LONG_JSON_BYTES, ParseTurns } from './ParseTurns.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));
const LONG = LONG_JSON_BYTES + 1;

describe('ParseTurns', () => {
  it('passes short messages on at once, and all in their order', async () => {
    const turns = new ParseTurns('');
    const taken: number[] = [];
    const add = (bytes: number, n: number) => turns.add(bytes, () => taken.push(n));
    add(10, 1);
    expect(taken).toEqual([1]);
    add(LONG, 2);
    add(10, 3);
    add(LONG, 4);
    expect([taken, turns.isWaiting]).toEqual([[1], true]);
    for (let n = 0; n < 5; n++) await turn();
    expect([taken, turns.isWaiting]).toEqual([[1, 2, 3, 4], false]);
    add(10, 5);
    expect(taken).toHaveLength(5);
  });

  it('passes one long message on per turn of the event loop, over all connections', async () => {
    let taken = 0;
    const connections = Array.from({ length: 10 }, () => new ParseTurns(''));
    for (const turns of connections) turns.add(LONG, () => taken++);
    const seen: number[] = [];
    while (taken < 10) {
      await turn();
      seen.push(taken);
    }
    expect(Math.max(...seen.map((count, n) => count - (seen[n - 1] ?? 0)))).toBe(1);
  });

  it('cuts the short messages and handshakes of many connections into turns, in their order', async () => {
    const taken: number[] = [];
    const take = (n: number) => () => {
      const endMs = performance.now() + 1;
      while (performance.now() < endMs);
      taken.push(n);
    };
    const connections = Array.from({ length: 20 }, () => new ParseTurns(''));
    for (const [n, turns] of connections.entries()) turns.add(10, take(n));
    for (let n = 20; n < 30; n++) inTurn('', 0, take(n));
    connections[0]?.add(10, take(30));
    connections[0]?.add(LONG, take(31));
    connections[0]?.add(10, take(32));
    const counts = [taken.length];
    while (taken.length < 33) {
      await turn();
      counts.push(taken.length);
    }
    expect(taken).toEqual(Array.from({ length: 33 }, (_, n) => n));
    expect(counts[0]).toBeGreaterThan(0);
    expect(Math.max(...counts.map((count, n) => count - (counts[n - 1] ?? 0)))).toBeLessThan(10);
  });

  it('forgets what waits', async () => {
    let taken = 0;
    const turns = new ParseTurns('');
    turns.add(LONG, () => taken++);
    turns.add(10, () => taken++);
    turns.clear();
    for (let n = 0; n < 3; n++) await turn();
    turns.add(10, () => taken++);
    expect(taken).toBe(1);
  });
});
