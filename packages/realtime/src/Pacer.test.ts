import { systemClock, type TurnKeys } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { Pacer } from './Pacer.js';

const keysOf = (address: string): TurnKeys => [address, '', ''];

describe('Pacer', () => {
  it('gives the clients turns, whatever the work of one (RESUME-30)', async () => {
    let nowMs = 0;
    const pacer = new Pacer({ ...systemClock, monotonicMs: () => nowMs });
    const done: string[] = [];
    const work = async (client: string, stepCount: number) => {
      for (let n = 1; n <= stepCount; n++) {
        await pacer.turn(keysOf(client));
        // Each step takes more than a slice.
        nowMs += 6;
        done.push(`${client}${n}`);
      }
    };
    const large = [work('a', 3), work('a', 3), work('a', 3)];
    await Promise.all([...large, work('b', 2)]);
    expect(done.slice(0, 4)).toEqual(['a1', 'b1', 'a1', 'b2']);
    expect(done).toHaveLength(11);
  });

  it('ends the slice after a large step, whenever in its turn it begins (POLL-10)', async () => {
    let nowMs = 0;
    const pacer = new Pacer({ ...systemClock, monotonicMs: () => nowMs });
    let turnNumber = 0;
    let isDone = false;
    const count = () => {
      turnNumber++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const seen: number[] = [];
    const turn = async (client: string) => pacer.turn(keysOf(client));
    const work = async (client: string) => {
      // As in a poll: several promises are between its turn and its step.
      await Promise.resolve(turn(client)).then(() => Promise.resolve());
      nowMs += 6;
      seen.push(turnNumber);
    };
    await Promise.all(['a', 'b', 'c', 'd'].map(work));
    isDone = true;
    expect(new Set(seen).size).toBe(4);
  });

  it('runs small work of many clients in one turn of the event loop', async () => {
    const pacer = new Pacer({ ...systemClock, monotonicMs: () => 0 });
    let turnCount = 0;
    let isDone = false;
    const count = () => {
      turnCount++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(Array.from({ length: 1_000 }, (_, n) => pacer.turn(keysOf(`${n}`))));
    isDone = true;
    expect(turnCount).toBeLessThan(10);
  });
});
