import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/language';
import { evaluateFilter } from '../evaluateFilter.js';
import { FilterError } from '../FilterError.js';
import { parseFilter } from '../parse/parseFilter.js';
import { computeRoomId } from './computeRoomId.js';
import { normalizeFilter } from './normalizeFilter.js';

const key = (filter: unknown) => normalizeFilter(parseFilter(filter));

/** Evaluates a normal form from its canonical JSON. */
function holds(form: unknown, document: JsonObject): boolean {
  const [kind, ...rest] = form as [string, ...unknown[]];
  switch (kind) {
    case 'and':
      return rest.every((each) => holds(each, document));
    case 'or':
      return rest.some((each) => holds(each, document));
    case 'not':
      return !holds(rest[0], document);
    default: {
      const [field, ...more] = rest as [string, ...unknown[]];
      const argument = kind === 'range' ? Object.fromEntries(pairs(more)) : more[0];
      const filter = kind === 'exists' ? { exists: field } : { [kind]: { [field]: argument } };
      return evaluateFilter(parseFilter(filter), document);
    }
  }
}

function pairs(list: readonly unknown[]): [string, unknown][] {
  return list.flatMap((each, i) => (i % 2 === 0 ? [[each as string, list[i + 1]] as [string, unknown]] : []));
}

const a1 = { equals: { a: 1 } };
const b2 = { equals: { b: 2 } };
const [existsA, existsB, existsC] = ['a', 'b', 'c'].map((field) => ({ exists: { field } }));

/** Each row: filters with the same normal form. */
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
    { or: [{ not: { not: a1 } }, { and: [{ in: { a: [2, 3] } }, { match_all: {} }] }] },
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
    { or: [a1, { equals: { a: 2 } }, { not: a1 }] },
    { not: { match_none: {} } },
  ],
  [
    { nothing: {} },
    { nothing: 5 },
    { match_none: {} },
    { and: [a1, { not: a1 }] },
    { and: [a1, { not: { in: { a: [2, 1] } } }] },
    { and: [{ or: [a1, b2] }, { not: { or: [a1, b2] } }] },
    { and: [{ nothing: {} }, { nothing: {} }, existsA] },
  ],
  [{ and: [existsC, { in: { a: [1, 2] } }] }, { and: [{ or: [a1, { equals: { a: 2 } }] }, existsC] }],
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
        const form: unknown = JSON.parse(key(sent));
        expect(holds(form, document)).toBe(evaluateFilter(parseFilter(sent), document));
      }),
      { numRuns: 1_000 },
    );
  });

  it('is the same under De Morgan, double negation, order, nesting and duplicates (FILTER-40)', () => {
    fc.assert(
      fc.property(filters, filters, filters, (x, y, z) => {
        expect(key({ not: { and: [x, y] } })).toBe(key({ or: [{ not: y }, { not: x }] }));
        expect(key({ not: { not: x } })).toBe(key(x));
        expect(key({ and: [x, { and: [y, z] }] })).toBe(key({ and: [z, x, y, y] }));
        expect(key({ or: [{ or: [x] }, z, { nothing: {} }] })).toBe(key({ or: [z, x] }));
      }),
      { numRuns: 1_000 },
    );
  });

  it('folds a condition, or a group of conditions, with its negation (FILTER-41)', () => {
    const group = fc.oneof(
      conditions,
      fc.record({ and: fc.array(conditions, { minLength: 1, maxLength: 3 }) }),
      fc.record({ or: fc.array(conditions, { minLength: 1, maxLength: 3 }) }),
    );
    fc.assert(
      fc.property(group, filters, (x, y) => {
        expect(key({ or: [x, y, { not: x }] })).toBe(key({}));
        expect(key({ and: [{ not: x }, y, x] })).toBe(key({ nothing: {} }));
      }),
      { numRuns: 1_000 },
    );
  });

  it('has 512 conditions at most; a list of values is one, and duplicates count once', () => {
    const list = (length: number, make: (i: number) => unknown) => Array.from({ length }, (_, i) => make(i));
    const pair = (i: number) => ({ or: [{ exists: `a${i}` }, { exists: `b${i}` }] });
    expect(() => key({ and: list(256, pair) })).not.toThrow();
    expect(() => key({ and: list(257, pair) })).toThrow('more than 512 conditions');
    expect(() => key({ or: list(513, (i) => ({ equals: { [`f${i}`]: 1 } })) })).toThrow('512');
    const many = { or: list(1_000, (i) => ({ equals: { a: i } })) };
    expect(key(many)).toBe(key({ in: { a: list(1_000, (i) => i) } }));
    expect(key({ and: list(1_000, () => pair(0)) })).toBe(key(pair(0)));
  });

  it('reports a filter that is too complex as such', () => {
    const error = (() => {
      try {
        return key({ or: Array.from({ length: 513 }, (_, i) => ({ exists: `f${i}` })) });
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
    const room = (index: string, collection: string, filter: unknown) => computeRoomId(index, collection, key(filter));
    expect(room('i', 'c', {})).toMatch(/^[0-9a-f]{32}$/);
    expect(room('i', 'c', {})).toBe(room('i', 'c', { match_all: {} }));
    expect(room('i', 'c', {})).not.toBe(room('i', 'd', {}));
    expect(room('i', 'c', a1)).not.toBe(room('i', 'c', {}));
  });
});
