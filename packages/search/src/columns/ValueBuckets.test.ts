import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ValueBuckets } from './ValueBuckets.js';

describe('ValueBuckets', () => {
  const value = fc.oneof(
    fc.integer({ min: -50, max: 50 }),
    fc.constant(NaN),
    fc.double({ min: -1e9, max: 1e9, noNaN: true }),
  );

  it('misses no slot of a range, and puts the ends at the ends', () => {
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 80 }),
        value,
        value,
        fc.integer({ min: 1, max: 20 }),
        (list, a, b, limit) => {
          const values = Float64Array.from(list);
          const known = list.filter((one) => !Number.isNaN(one));
          fc.pre(known.length > 0 && !Number.isNaN(a) && !Number.isNaN(b));
          const buckets = new ValueBuckets(values, values.length, Math.min(...known), Math.max(...known));
          const [low, high] = [Math.min(a, b), Math.max(a, b)];
          const inside = list.flatMap((one, slot) => (one >= low && one <= high ? [slot] : []));
          const { certain, possible } = buckets.candidates(low, high);
          expect(inside).toEqual(expect.arrayContaining([...certain]));
          const all = [...certain, ...possible[0], ...possible[1]];
          expect(all).toEqual(expect.arrayContaining(inside));
          expect(new Set(all).size).toBe(all.length);
          for (const wantsHighest of [true, false]) {
            const ends = buckets.ends(limit, wantsHighest, () => true);
            if (known.length < limit) {
              expect(ends).toBeUndefined();
              continue;
            }
            const sorted = [...known].sort((x, y) => (wantsHighest ? y - x : x - y));
            const found = (ends ?? [])
              .map((slot) => values[slot] as number)
              .sort((x, y) => (wantsHighest ? y - x : x - y));
            expect(found.slice(0, limit)).toEqual(sorted.slice(0, limit));
          }
        },
      ),
      { seed: 31, numRuns: 500 },
    );
  });
});
