import { describe, expect, it } from 'vitest';
import { InFlight } from './InFlight.js';

describe('messages in flight (PROTO-67)', () => {
  it('reach a position once all earlier messages of the topic are acknowledged', () => {
    const inFlight = new InFlight();
    inFlight.add('a', 1, 'e.1');
    inFlight.add('a', 2, 'e.2');
    inFlight.add('b', 3, 'e.3');
    inFlight.add('a', 4, undefined);
    expect(inFlight.acknowledge(2)).toBeUndefined();
    expect(inFlight.acknowledge(3)).toEqual({ topic: 'b', cursor: 'e.3' });
    expect(inFlight.acknowledge(4)).toBeUndefined();
    expect(inFlight.count).toBe(1);
    expect(inFlight.acknowledge(1)).toEqual({ topic: 'a', cursor: 'e.2' });
    expect(inFlight.acknowledge(1)).toBeUndefined();
    expect(inFlight.count).toBe(0);
  });

  it('hold back a position that needs no acknowledgement', () => {
    const inFlight = new InFlight();
    expect(inFlight.pass('a', 'e.1')).toEqual({ topic: 'a', cursor: 'e.1' });
    inFlight.add('a', 1, 'e.2');
    expect(inFlight.pass('a', 'e.5')).toBeUndefined();
    expect(inFlight.has(1)).toBe(true);
    expect(inFlight.acknowledge(1)).toEqual({ topic: 'a', cursor: 'e.5' });
  });

  it('keep nothing of later messages behind one that is not acknowledged but the last position', () => {
    const inFlight = new InFlight();
    inFlight.add('a', 1, 'e.00001');
    for (let n = 2; n <= 20_000; n++) {
      const cursor = `e.${String(n).padStart(5, '0')}`;
      if (n % 2 === 0) expect(inFlight.pass('a', cursor)).toBeUndefined();
      else {
        inFlight.add('a', 2, cursor);
        expect(inFlight.acknowledge(2)).toBeUndefined();
      }
    }
    expect(inFlight.count).toBe(1);
    expect(reachableObjects(inFlight)).toBeLessThan(20);
    expect(inFlight.acknowledge(1)).toEqual({ topic: 'a', cursor: 'e.20000' });
  });

  it('reach a position in whatever order they are acknowledged', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const inFlight = new InFlight();
      const ids = Array.from({ length: 20 }, (_, n) => n + 1);
      for (const id of ids) inFlight.add('a', id, `e.${String(id).padStart(2, '0')}`);
      const order = ids.toSorted((a, b) => ((a * seed * 7) % 23) - ((b * seed * 7) % 23));
      const left = new Set(ids);
      for (const id of order) {
        const first = Math.min(...left);
        left.delete(id);
        const reached = Math.min(...left, 21) - 1;
        const expected = id === first ? `e.${String(reached).padStart(2, '0')}` : undefined;
        expect(inFlight.acknowledge(id)?.cursor).toBe(expected);
      }
    }
  });
});

/** Number of objects that it keeps. */
function reachableObjects(root: object): number {
  const found = new Set<unknown>([root]);
  for (const object of found) {
    const members = object instanceof Map ? [...object.values()] : Object.values(object as object);
    for (const each of members) if (typeof each === 'object' && each !== null) found.add(each);
  }
  return found.size;
}
