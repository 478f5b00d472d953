import { describe, expect, it } from 'vitest';
import { SortedSet, type Scored } from './SortedSet.js';

/** Pseudo-random numbers that are the same each time. */
function* numbers(): Iterator<number, number> {
  for (let state = 12345; ;) yield (state = (Math.imul(state, 1103515245) + 12345) >>> 1);
}

describe('SortedSet', () => {
  it('agrees with a sorted list over thousands of changes', () => {
    const set = new SortedSet();
    const model = new Map<string, number>();
    const chance = numbers();
    const below = (bound: number) => chance.next().value % bound;
    const sorted = (): Scored[] =>
      [...model]
        .map(([member, score]) => ({ member, score }))
        .sort((left, right) => left.score - right.score || (left.member < right.member ? -1 : 1));
    for (let step = 0; step < 12_000; step++) {
      const member = `m${below(3000)}`;
      if (below(3) === 0) expect(set.delete(member)).toBe(model.delete(member));
      else {
        const score = below(500);
        expect(set.set(member, score)).toBe(!model.has(member));
        model.set(member, score);
      }
      if (step % 1000 !== 0) continue;
      const expected = sorted();
      expect([...set]).toEqual(expected);
      expect(set.size).toBe(expected.length);
      for (let at = 0; at < expected.length; at += 37) expect(set.rankOf(expected[at]?.member ?? '')).toBe(at);
      const [first, last] = [below(1500), below(3000)];
      expect(set.slice(first, last)).toEqual(expected.slice(first, last + 1));
      expect(set.rankBefore((score) => score < 250)).toBe(expected.filter(({ score }) => score < 250).length);
    }
    for (const member of [...model.keys()]) set.delete(member);
    expect([set.size, set.bytes, [...set]]).toEqual([0, new SortedSet().bytes, []]);
  });

  it('finds ranks among 200,000 members without walking over them', () => {
    const set = new SortedSet();
    for (let at = 0; at < 200_000; at++) set.set(`m${at}`, (at * 7919) % 200_003);
    for (let at = 0; at < 20_000; at++) set.rankOf(`m${at * 7}`);
  });
});
