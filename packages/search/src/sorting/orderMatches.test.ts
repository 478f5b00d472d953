import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { orderByScore, orderMatches } from './orderMatches.js';
import type { SortKey } from './SortKey.js';

function numberKey(keys: readonly number[]): SortKey {
  return { kind: 'number', keys: Float64Array.from(keys), show: () => null, keyOf: () => 0 };
}

describe('orderMatches', () => {
  it('gives the first of a stable sort, whatever the limit', () => {
    const key = fc.constantFrom(0, 1, 2, 3, Infinity, -Infinity);
    fc.assert(
      fc.property(fc.array(fc.tuple(key, key), { maxLength: 60 }), fc.nat(70), (rows, limit) => {
        const keys = [numberKey(rows.map(([a]) => a)), numberKey(rows.map(([, b]) => b))];
        for (const criteria of [keys, keys.slice(0, 1), []]) {
          const expected = rows
            .map((row, position) => ({ row, position }))
            .sort((x, y) => {
              for (let i = 0; i < criteria.length; i += 1) {
                const [a, b] = [x.row[i] as number, y.row[i] as number];
                if (a !== b) return a < b ? -1 : 1;
              }
              return x.position - y.position;
            })
            .slice(0, limit)
            .map(({ position }) => position);
          expect([...orderMatches(criteria, rows.length, limit)]).toEqual(expected);
        }
      }),
      { seed: 5, numRuns: 500 },
    );
  });
});

describe('orderByScore', () => {
  it('gives the best first, equal floats by position', () => {
    // The difference between the last two is below the precision of a 32-bit float.
    const score = fc.constantFrom(0, 0.5, 1, 2, 3, 3 + 1e-9);
    fc.assert(
      fc.property(fc.array(score, { maxLength: 60 }), fc.nat(70), (scores, limit) => {
        const expected = scores
          .map((one, position) => ({ one: Math.fround(one), position }))
          .sort((a, b) => b.one - a.one || a.position - b.position)
          .slice(0, limit)
          .map(({ position }) => position);
        expect([...orderByScore(Float64Array.from(scores), limit)]).toEqual(expected);
      }),
      { seed: 6, numRuns: 500 },
    );
  });

  it('does so for long pages too, also of negative scores', () => {
    const score = fc.oneof(
      fc.constantFrom(0, -0, 0.5, -0.5, 3, 3 + 1e-9, 1e-30, Infinity, -Infinity),
      fc.double({ min: -100, max: 100, noNaN: true }),
    );
    fc.assert(
      fc.property(
        fc.array(score, { minLength: 700, maxLength: 900 }),
        fc.integer({ min: 257, max: 400 }),
        (scores, limit) => {
          const expected = scores
            .map((one, position) => ({ one: Math.fround(one), position }))
            .sort((a, b) => (a.one === b.one ? a.position - b.position : b.one - a.one))
            .slice(0, limit)
            .map(({ position }) => position);
          expect([...orderByScore(Float64Array.from(scores), limit)]).toEqual(expected);
        },
      ),
      { seed: 7, numRuns: 60 },
    );
  });
});
