import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairQueue, type TurnKeys } from './FairQueue.js';

function drain<T>(queue: FairQueue<T>): T[] {
  const items: T[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) items.push(item);
  return items;
}

describe('FairQueue', () => {
  it('serves a late address after at most one item of each other address', () => {
    const queue = new FairQueue<string>();
    for (let n = 0; n < 1_000; n++) queue.push(['a', `user${n % 5}`, `c${n % 40}`], `flood${n}`);
    queue.push(['b', 'u', 'c'], 'honest');
    expect([queue.take(), queue.take()]).toContain('honest');
    expect(queue.size).toBe(999);
  });

  it('lets the users of an address take turns, and the connections of a user', () => {
    const queue = new FairQueue<string>();
    for (const item of ['x1', 'x2', 'x3']) queue.push(['a', 'x', 'c1'], item);
    queue.push(['a', 'x', 'c2'], 'x-other');
    queue.push(['a', 'y', 'c3'], 'y1');
    expect(drain(queue)).toEqual(['x1', 'y1', 'x-other', 'x2', 'x3']);
  });

  it('removes what a closed connection waits for and nothing else', () => {
    const queue = new FairQueue<number>();
    [1, 2, 3].forEach((n) => queue.push(['a', 'u', 'gone'], n));
    queue.push(['a', 'u', 'stays'], 4);
    expect(queue.removeConnection(['a', 'u', 'gone'])).toEqual([1, 2, 3]);
    expect(queue.removeConnection(['a', 'u', 'gone'])).toEqual([]);
    expect([queue.size, queue.take(), queue.take()]).toEqual([1, 4, undefined]);
  });

  it('loses and repeats nothing, and keeps the order of each connection', () => {
    const name = fc.constantFrom('1', '2', '3');
    fc.assert(
      fc.property(fc.array(fc.tuple(name, name, name), { maxLength: 60 }), (all) => {
        const queue = new FairQueue<{ keys: TurnKeys; n: number }>();
        all.forEach((keys, n) => queue.push(keys, { keys, n }));
        const served = drain(queue);
        expect(served.map(({ n }) => n).sort((a, b) => a - b)).toEqual(all.map((_, n) => n));
        for (const key of new Set(all.map(String))) {
          const own = served.filter(({ keys }) => String(keys) === key).map(({ n }) => n);
          expect(own).toEqual([...own].sort((a, b) => a - b));
        }
      }),
      { seed: 7 },
    );
  });
});
