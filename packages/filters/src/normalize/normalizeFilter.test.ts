import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluateCondition, evaluateFilter } from '../evaluateFilter.js';
import { FilterError } from '../FilterError.js';
import type { JsonObject } from '../Json.js';
import { parseFilter } from '../parse/parseFilter.js';
import { computeRoomId } from './computeRoomId.js';
import { normalizeFilter, type NormalFilter } from './normalizeFilter.js';

const normal = (filter: unknown) => normalizeFilter(parseFilter(filter));
const key = (filter: unknown) => normal(filter).key;

function holds({ clauses }: NormalFilter, document: JsonObject): boolean {
  return clauses.some((clause) =>
    clause.every(
      ({ condition, isNegated }) => evaluateCondition(condition, document) !== isNegated,
    ),
  );
}

const a1 = { equals: { a: 1 } };
const b2 = { equals: { b: 2 } };
const [existsA, existsB, existsC] = ['a', 'b', 'c'].map((field) => ({ exists: { field } }));

/** Each row: filters that share one normal form. */
const EQUAL: readonly (readonly unknown[])[] = [
  [
    { and: [a1, existsB] },
    { and: [{ exists: 'b' }, a1] },
    { and: [{ and: [existsB] }, a1, a1] },
    { bool: { must: [a1, existsB] } },
    { bool: { filter: [existsB, { term: { a: 1 } }] } },
    { bool: { filter: existsB, must: { term: { a: { value: 1, boost: 2 } } } } },
  ],
  [
    { in: { a: [1, 2, 3] } },
    { in: { a: [3, 1, 2, 2] } },
    { or: [{ equals: { a: 2 } }, { in: { a: [1, 3] } }] },
    { terms: { a: [1, 2, 3], boost: 1 } },
    { bool: { should: [a1, { equals: { a: 3 } }, { equals: { a: 2 } }] } },
    { or: [{ not: { not: a1 } }, { in: { a: [2, 3] } }, { and: [a1, existsB] }] },
  ],
  [
    { not: { or: [a1, b2] } },
    { and: [{ not: a1 }, { not: b2 }] },
    { bool: { must_not: [b2, a1] } },
    { not: { not: { not: { or: [b2, a1] } } } },
  ],
  [
    {},
    null,
    undefined,
    { match_all: {} },
    { not: { nothing: {} } },
    { or: [a1, { not: a1 }] },
    { or: [{ match_all: {} }, existsA] },
    { or: [{ and: [a1, b2] }, { not: { and: [a1, b2] } }] },
    {
      or: [
        { or: [{ and: [existsA, existsB] }, existsC] },
        { not: { or: [{ and: [existsA, existsB] }, existsC] } },
      ],
    },
    { not: { and: [a1, { equals: { a: 2 } }] } },
    { not: { match_none: {} } },
  ],
  [
    { nothing: {} },
    { nothing: 5 },
    { match_none: {} },
    { and: [a1, { not: a1 }] },
    { and: [a1, { equals: { a: '1' } }] },
    { and: [{ or: [a1, b2] }, { not: { or: [a1, b2] } }] },
  ],
  [
    { or: [{ and: [existsA, existsB] }, { and: [existsA, existsC] }] },
    { and: [existsA, { or: [existsC, existsB] }] },
    {
      or: [
        { and: [existsA, existsB] },
        { and: [existsA, existsC] },
        { and: [existsA, existsB, { exists: 'd' }] },
      ],
    },
  ],
  [
    { and: [existsC, { in: { a: [1, 2] } }] },
    { and: [{ or: [a1, { equals: { a: 2 } }] }, existsC] },
    { or: [{ and: [existsC, a1] }, { and: [{ equals: { a: 2 } }, existsC] }] },
  ],
  [
    { geoDistance: { p: { lat: 1, lon: 2 }, distance: '1km' } },
    { geo_distance: { p: { latLon: [1, 2] }, distance: '1000' } },
    { geoDistance: { p: '1, 2', distance: '1 000 m' } },
    { geoDistance: { p: { lat_lon: '1,2' }, distance: '1,0 KILOMETERS' } },
    { geoDistance: { distance: '100000cm', p: [1, 2] } },
    { geoDistance: { distance: '1 093,6132983377079 yd', p: ['1', '2.0'] } },
  ],
  [{ ids: { values: ['x'] } }, { equals: { _id: 'x' } }, { ids: { values: 'x', type: 't' } }],
  [{ missing: 'a' }, { not: existsA }, { missing: { field: 'a' } }],
  [{ range: { a: { gt: -0 } } }, { range: { a: { gt: 0 } } }],
  [{ regexp: { a: 'x' } }, { regexp: { a: { value: 'x', flags: 'yg' } } }],
];

// Distribution is promised where value lists do not overlap; what overlaps may stay apart ("deeper equivalences").
const conditions = fc.oneof(
  fc.record({ equals: fc.record({ a: fc.constantFrom(1, 2, 'x', true) }) }),
  fc.record({ in: fc.record({ b: fc.array(fc.constantFrom(1, 2, 3), { minLength: 1 }) }) }),
  fc.constantFrom<unknown>(
    { exists: 'a' },
    { missing: 'b' },
    { range: { b: { gt: 1 } } },
    { regexp: { a: 'x' } },
    { nothing: {} },
  ),
);
const filters = fc.letrec((tie) => ({
  filter: fc.oneof(
    { maxDepth: 4 },
    conditions,
    fc.record({ and: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ or: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: tie('filter') }),
  ),
})).filter;
const documents = fc.record(
  { a: fc.constantFrom(1, 2, 3, 'x', true, null), b: fc.constantFrom(0, 1, 2, 3, '1') },
  { requiredKeys: [] },
);

describe('the normal form', () => {
  it.each(EQUAL.map((row, i) => [i, row] as const))('is one for equal filters (%i)', (_, row) => {
    expect([...new Set(row.map(key))]).toHaveLength(1);
  });

  it('differs between filters that are not equal', () => {
    expect(new Set(EQUAL.map(([first]) => key(first))).size).toBe(EQUAL.length);
    expect(key({ equals: { a: 1 } })).not.toBe(key({ equals: { a: '1' } }));
    expect(key({ equals: { __proto__x: 1 } })).not.toBe(key({ equals: { x: 1 } }));
  });

  it('matches what the filter matches', () => {
    fc.assert(
      fc.property(filters, documents, (sent, document) => {
        const filter = parseFilter(sent);
        const form = normalizeFilter(filter);
        expect(holds(form, document)).toBe(evaluateFilter(filter, document));
      }),
      { numRuns: 500 },
    );
  });

  it('is the same under De Morgan, double negation, order, nesting and distribution', () => {
    fc.assert(
      fc.property(filters, filters, filters, fc.constantFrom(existsA, b2), (x, y, z, free) => {
        expect(key({ not: { and: [x, y] } })).toBe(key({ or: [{ not: y }, { not: x }] }));
        expect(key({ not: { not: x } })).toBe(key(x));
        expect(key({ and: [x, { and: [y, z] }] })).toBe(key({ and: [z, x, y, y] }));
        const spread = {
          or: [{ and: [a1, existsB] }, { and: [a1, existsC] }, { and: [a1, free] }],
        };
        const tight = { and: [a1, { or: [existsB, existsC, free] }] };
        expect(key(tight)).toBe(key(spread));
        expect(key({ or: [x, { not: x }] })).toBe(key({}));
      }),
      { numRuns: 300 },
    );
  });

  it('is one for value lists that overlap in any way, once distributed (section 8)', () => {
    const values = (field: string, ...list: readonly number[]) => ({ in: { [field]: list } });
    const each = (field: string, ...list: readonly number[]) => ({
      or: list.map((value) => ({ equals: { [field]: value } })),
    });
    for (const list of [values, each]) {
      const rows: readonly (readonly unknown[])[] = [
        [
          { or: [{ and: [list('a', 1, 2), b2] }, { and: [list('a', 2, 3), list('b', 2, 3)] }] },
          { or: [{ and: [values('a', 1, 2, 3), b2] }, { and: [values('a', 3, 2), { equals: { b: 3 } }] }] }, // prettier-ignore
        ],
        [
          { or: [list('a', 1, 2), { and: [list('a', 2, 3), existsB] }] },
          { or: [values('a', 1, 2), { and: [{ equals: { a: 3 } }, existsB] }] },
        ],
        [
          {
            or: [{ and: [existsC, { not: list('a', 1, 2) }] }, { and: [existsC, list('a', 2, 3)] }],
          },
          { and: [existsC, { not: { equals: { a: 1 } } }] },
        ],
      ];
      for (const row of rows) expect(new Set(row.map(key)).size).toBe(1);
    }
  });

  it('does not depend on how lists are split over clauses', () => {
    const box = fc.record({
      a: fc.uniqueArray(fc.integer({ min: 0, max: 4 }), { minLength: 1 }),
      b: fc.uniqueArray(fc.integer({ min: 0, max: 4 }), { minLength: 1 }),
    });
    fc.assert(
      fc.property(fc.array(box, { minLength: 1, maxLength: 4 }), (boxes) => {
        const whole = boxes.map(({ a, b }) => ({ and: [{ in: { a } }, { in: { b } }] }));
        const points = boxes.flatMap(({ a, b }) =>
          a.flatMap((x) => b.map((y) => ({ and: [{ equals: { a: x } }, { equals: { b: y } }] }))),
        );
        expect(key({ or: points })).toBe(key({ or: whole }));
      }),
      { numRuns: 200 },
    );
  });

  it('takes milliseconds at most, whatever the filter', () => {
    const list = (i: number) => Array.from({ length: 10 }, (_, k) => (i * 7 + k * k) % 40);
    const hostile: readonly unknown[] = [
      { or: Array.from({ length: 200 }, (_, i) => ({ and: ['s', 't', 'u'].map((f, j) => ({ in: { [f]: list(i * (j + 3)) } })) })) }, // prettier-ignore
      { or: Array.from({ length: 512 }, (_, i) => ({ and: [{ exists: `a${i % 32}` }, { missing: `b${i >> 4}` }] })) }, // prettier-ignore
      { and: Array.from({ length: 9 }, (_, i) => ({ or: [{ exists: `a${i}` }, { exists: `b${i}` }] })) }, // prettier-ignore
      { not: { or: Array.from({ length: 30 }, (_, i) => ({ and: [{ equals: { [`a${i % 6}`]: i } }, { equals: { [`b${i % 5}`]: i } }] })) } }, // prettier-ignore
    ];
    for (const filter of hostile) {
      const parsed = parseFilter(filter);
      try {
        normalizeFilter(parsed);
      } catch (error) {
        expect(error).toBeInstanceOf(FilterError);
      }
    }
  });

  it('is bounded in size and in the time it takes to find out', () => {
    const pair = (i: number) => ({
      or: [{ equals: { [`a${i}`]: 1 } }, { equals: { [`b${i}`]: 1 } }],
    });
    const product = { and: Array.from({ length: 500 }, (_, i) => pair(i)) };
    const wide = { or: Array.from({ length: 513 }, (_, i) => ({ equals: { [`f${i}`]: 1 } })) };
    const long = { and: Array.from({ length: 1025 }, (_, i) => ({ exists: `f${i}` })) };
    const triples = {
      or: Array.from({ length: 400 }, (_, i) => ({
        and: ['x', 'y', 'z'].map((f) => ({ exists: `${f}${i}` })),
      })),
    };
    for (const [filter, text] of [
      [product, '512 clauses'],
      [wide, '512 clauses'],
      [long, '1024 conditions'],
      [triples, '1024 conditions'],
    ] as const) {
      const parsed = parseFilter(filter);
      expect(() => normalizeFilter(parsed)).toThrow(text);
    }
    const lists = { and: Array.from({ length: 12 }, (_, i) => ({ in: { [`f${i}`]: [1, 2, 3] } })) };
    expect(normal(lists).clauses).toHaveLength(1);
    const many = { or: Array.from({ length: 600 }, (_, i) => ({ equals: { a: i } })) };
    expect(key(many)).toBe(key({ in: { a: Array.from({ length: 600 }, (_, i) => i) } }));
  });

  it('reports a filter that is too complex as such', () => {
    const error = (() => {
      try {
        return normal({ or: Array.from({ length: 513 }, (_, i) => ({ exists: `f${i}` })) });
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(FilterError);
    expect((error as FilterError).code).toBe('filter_too_complex');
  });
});

describe('the room of a filter', () => {
  it('is a fixed digest of index, collection and normal form', () => {
    const room = (index: string, collection: string, filter: unknown) =>
      computeRoomId(index, collection, normal(filter));
    expect(room('i', 'c', {})).toMatch(/^[0-9a-f]{32}$/);
    expect(room('i', 'c', {})).toBe(room('i', 'c', { match_all: {} }));
    expect(room('i', 'c', {})).not.toBe(room('i', 'd', {}));
    expect(room('i', 'c', a1)).not.toBe(room('i', 'c', {}));
  });
});
