import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/language';
import { evaluateFilter } from '../evaluateFilter.js';
import { FilterError } from '../FilterError.js';
import { parseFilter } from './parseFilter.js';

const HERE = { lat: 43.6073913, lon: 3.9109057 };
const matches = (filter: unknown, document: JsonObject, id?: string) =>
  evaluateFilter(parseFilter(filter), document, id);

function refusal(filter: unknown): string {
  try {
    parseFilter(filter);
  } catch (error) {
    if (error instanceof FilterError) return error.message;
    throw error;
  }
  return 'accepted';
}

/** Each row: a filter, and the text that its error must contain. */
const REFUSED: readonly (readonly [unknown, string])[] = [
  [{ equals: { a: 1 }, exists: { field: 'a' } }, '"equals", "exists"'],
  ['text', 'expected an object'],
  [[], 'expected an object'],
  [{ foo: { a: 1 } }, 'unknown operator "foo"'],
  [{ toString: { a: 1 } }, 'unknown operator "toString"'],
  [JSON.parse('{"__proto__": {"a": 1}}'), 'unknown operator "__proto__"'],
  [{ match: { a: 'x' } }, 'unknown operator "match"'],
  [{ equals: {} }, 'equals'],
  [{ equals: { a: 1, b: 2 } }, 'exactly one field'],
  [{ equals: { a: null } }, 'got null'],
  [{ equals: { a: { $ref: 'x' } } }, 'got an object'],
  [{ equals: { '': 1 } }, 'equals'],
  [{ equals: { ['f'.repeat(513)]: 1 } }, '512'],
  [{ in: { a: [] } }, 'empty'],
  [{ in: { a: [[1]] } }, 'got a list'],
  [{ in: { a: Array.from({ length: 1025 }, (_, i) => i) } }, '1024'],
  [{ terms: { a: { index: 'i', id: 'x', path: 'p' } } }, 'terms'],
  [{ ids: { values: [1] } }, 'ids'],
  [{ ids: {} }, 'ids'],
  [{ range: { a: {} } }, 'range'],
  [{ range: { a: { gt: 1, gte: 1 } } }, 'not both'],
  [{ range: { a: { gt: '1' } } }, 'must be a number'],
  [{ range: { a: { gte: 1, lte: 1 } } }, 'lower bound must be below upper bound'],
  [{ range: { a: { gt: 1, between: 2 } } }, '"between"'],
  [{ exists: { field: '' } }, 'exists'],
  [{ exists: { field: 'a', more: 1 } }, '"more"'],
  [{ missing: [] }, 'missing'],
  [{ regexp: { a: { value: '(' } } }, 'unterminated group'],
  [{ regexp: { a: '(?=x)' } }, 'look-around'],
  [{ regexp: { a: '(x)\\1' } }, 'back-references'],
  [{ regexp: { a: { value: 'x', flags: 'ii' } } }, 'flags'],
  [{ regexp: { a: { value: 'x', flags: 'v' } } }, 'flags'],
  [{ regexp: { a: 'x'.repeat(1001) } }, '1000'],
  [{ geoDistance: { p: HERE, distance: 10 } }, 'distance'],
  [{ geoDistance: { p: HERE, distance: '10 nm' } }, 'distance'],
  [{ geoDistance: { p: HERE, distance: '1e3 m' } }, 'distance'],
  [{ geoDistance: { p: HERE, distance: '1.000,5 m' } }, 'distance'],
  [{ geoDistance: { p: { lat: 91, lon: 0 }, distance: '1m' } }, 'point'],
  [{ geoDistance: { p: 'spf', distance: '1m' } }, 'point'],
  [{ geoDistanceRange: { p: HERE, from: '2km', to: '1km' } }, 'from'],
  [{ geoBoundingBox: { p: { top: 1, left: 0, bottom: 2, right: 1 } } }, '[lat, lon]'],
  [{ geoBoundingBox: { p: { topLeft: [1, 0], bottomRight: '0, 1' } } }, 'same form'],
  [{ geoBoundingBox: { p: { topLeft: [1, 0] } } }, 'bottomRight'],
  [
    {
      geoPolygon: {
        p: {
          points: [
            [0, 0],
            [1, 1],
            [0, 0],
          ],
        },
      },
    },
    '3 distinct',
  ],
  [{ and: [] }, 'and'],
  [{ and: [{}] }, 'at and[0]'],
  [{ not: [{ equals: { a: 1 } }] }, 'at not'],
  [{ bool: {} }, 'bool'],
  [{ bool: { must: [{ foo: {} }] } }, 'unknown operator "foo", at bool.must[0]'],
  [{ bool: { minimum_should_match: 1 } }, '"minimum_should_match"'],
  [
    { and: [{ equals: { a: 1 } }, { not: { range: { age: { gt: 2, lt: 1 } } } }] },
    'Invalid filter: operator "range", field "age", at and[1].not: lower bound must be below upper bound',
  ],
];

describe('the parser (FILTER-3, FILTER-12, FILTER-14, FILTER-51)', () => {
  it.each(REFUSED)('refuses %j', (filter, text) => {
    expect(refusal(filter)).toContain(text);
  });

  it('takes 32 levels of nesting and refuses 33, and 100,000 without overflowing', () => {
    const nest = (levels: number) => {
      let filter: unknown = { exists: 'a' };
      for (let i = 0; i < levels; i++) filter = { not: filter };
      return filter;
    };
    expect(refusal(nest(32))).toBe('accepted');
    expect(refusal(nest(33))).toContain('32 levels');
    expect(refusal(nest(100_000))).toContain('more than 65536 bytes');
  });
});

describe('the limits of what is sent', () => {
  const list = (length: number, make: (i: number) => unknown) => Array.from({ length }, (_, i) => make(i));

  it('are 64 KiB of JSON in UTF-8', () => {
    const sized = (bytes: number) => ({ equals: { a: 'é'.repeat((bytes - 22) / 2) + 'xxx' } });
    const most = JSON.stringify(sized(65_536));
    expect(Buffer.byteLength(most)).toBe(65_536);
    expect(refusal(sized(65_536))).toBe('accepted');
    expect(refusal(sized(65_538))).toContain('more than 65536 bytes of JSON');
    expect(refusal({ nothing: list(40_000, (i) => i) })).toContain('more than 65536 bytes');
  });

  it('are 4,096 steps of all patterns, repetitions written out, properties counting 50', () => {
    const patterns = (count: number, value: string, flags = '') => ({
      or: list(count, () => ({ regexp: { a: { value, flags } } })),
    });
    expect(refusal(patterns(4, 'x'.repeat(1_000)))).toBe('accepted');
    expect(refusal(patterns(5, 'x'.repeat(1_000)))).toContain('more than 4096 pattern steps');
    expect(refusal(patterns(2, '(?:a{40}){24}'))).toBe('accepted');
    expect(refusal(patterns(3, '(?:a{40}){24}'))).toContain('more than 4096 pattern steps');
    expect(refusal(patterns(1, '((a{1000}){1000}){1000}'))).toContain('4096 pattern steps');
    expect(refusal(patterns(1, '\\p{L}'.repeat(70), 'u'))).toBe('accepted');
    expect(refusal(patterns(1, '\\p{L}'.repeat(80), 'u'))).toContain('4096 pattern steps');
  });
});

describe('the evaluator (FILTER-2, FILTER-10)', () => {
  it('reads paths by level and by keys with dots, the later one of both', () => {
    const filter = { equals: { 'info.city': 'x' } };
    expect(matches(filter, { 'info.city': 'x' })).toBe(true);
    expect(matches(filter, { 'info.city': 'x', info: { city: 'y' } })).toBe(false);
    expect(matches(filter, { info: { city: 'y' }, 'info.city': 'x' })).toBe(true);
    expect(matches(filter, { 'info.city': 'x', info: { city: null } })).toBe(true);
    expect(matches({ equals: { 'list.0': 'x' } }, { list: ['x'] })).toBe(false);
    expect(matches({ exists: 'constructor.name' }, { a: 1 })).toBe(false);
  });

  it('takes the identifier for _id, and without one the own key of a message', () => {
    const filter = { ids: { values: ['x'] } };
    expect(matches(filter, { _id: 'y' }, 'x')).toBe(true);
    expect(matches(filter, { _id: 'x' }, 'y')).toBe(false);
    expect(matches(filter, { _id: 'x' })).toBe(true);
  });

  it('compares strictly, and bounds exactly', () => {
    expect(matches({ equals: { n: 0 } }, { n: -0 })).toBe(true);
    expect(matches({ equals: { n: 1 } }, { n: '1' })).toBe(false);
    expect(matches({ range: { n: { gt: 0.1, lt: 0.3 } } }, { n: 0.30000000000000004 })).toBe(false);
    expect(matches({ range: { n: { gt: 1609459200000 } } }, { n: 1609459200000 })).toBe(false);
  });

  it('measures boxes, discs, rings and polygons', () => {
    const box = { geoBoundingBox: { p: { top: 10, left: 170, bottom: -10, right: -170 } } };
    expect(matches(box, { p: [0, 180] })).toBe(true);
    expect(matches(box, { p: [0, 0] })).toBe(false);
    const ring = { geoDistanceRange: { p: [0, 0], from: '1 km', to: '112 km' } };
    expect(matches(ring, { p: { lat: 1, lon: 0 } })).toBe(true);
    expect(matches(ring, { p: { lat: 0, lon: 0 } })).toBe(false);
    const notched = {
      geoPolygon: {
        p: {
          points: [
            [0, 0],
            [0, 10],
            [10, 10],
            [1, 5],
            [10, 0],
          ],
        },
      },
    };
    expect(matches(notched, { p: [8, 5] })).toBe(false);
    expect(matches(notched, { p: [0, 5] })).toBe(true);
    expect(matches(notched, { p: [0.5, 5] })).toBe(true);
    expect(matches({ not: notched }, { p: '8 / 5' })).toBe(true);
  });
});
