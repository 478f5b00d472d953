import type { JsonObject } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { TestCollection } from '../TestCollection.test.support.js';

describe('function_score (SEARCH-20)', () => {
  const things = new TestCollection({
    properties: {
      tag: { type: 'keyword' },
      n: { type: 'double' },
      day: { type: 'date' },
      at: { type: 'geo_point' },
    },
  }).put({
    a: { tag: 'x', n: 4, day: '2024-01-01', at: { lat: 0, lon: 0 } },
    b: { tag: ['x', 'y'], n: 9, day: '2024-01-11', at: { lat: 0, lon: 1 } },
    c: { tag: 'z' },
  });
  const scores = (function_score: JsonObject) =>
    Object.fromEntries(things.search({ query: { function_score } }).hits.map(({ id, score }) => [id, score]));
  const replace = { boost_mode: 'replace' };
  const functions = [
    { filter: { term: { tag: 'x' } }, weight: 3 },
    { filter: { term: { tag: 'y' } }, weight: 4 },
  ];

  it.each<[string, number, number]>([
    ['multiply', 3, 12],
    ['sum', 3, 7],
    ['avg', 1, 1],
    ['first', 3, 3],
    ['max', 3, 4],
    ['min', 3, 3],
  ])('joins functions by %s; one where none applies', (score_mode, a, b) => {
    expect(scores({ functions, score_mode, ...replace })).toEqual({ a, b, c: 1 });
  });

  it.each<[string, number]>([
    ['multiply', 20],
    ['replace', 10],
    ['sum', 12],
    ['avg', 6],
    ['max', 10],
    ['min', 2],
  ])('joins the function and the boosted query by %s', (boost_mode, expected) => {
    expect(scores({ weight: 10, boost: 2, boost_mode })['a']).toBe(expected);
  });

  it.each<[string, number, number]>([
    ['none', 8, 18],
    ['log1p', Math.log10(9), Math.log10(19)],
    ['ln2p', Math.log(10), Math.log(20)],
    ['square', 64, 324],
    ['sqrt', Math.sqrt(8), Math.sqrt(18)],
    ['reciprocal', 1 / 8, 1 / 18],
  ])('reads a field by %s', (modifier, a, b) => {
    const found = scores({
      field_value_factor: { field: 'n', factor: 2, modifier, missing: 1 },
      ...replace,
    });
    expect(found['a']).toBeCloseTo(a, 5);
    expect(found['b']).toBeCloseTo(b, 4);
  });

  it('halves at the scale, and leaves documents without a value alone', () => {
    for (const shape of ['gauss', 'exp', 'linear']) {
      const numbers = scores({ [shape]: { n: { origin: 4, scale: 5 } }, ...replace });
      expect(numbers['a']).toBe(1);
      expect(numbers['b']).toBeCloseTo(0.5, 6);
      expect(numbers['c']).toBe(1);
      const dates = scores({
        [shape]: { day: { origin: '2024-01-01', scale: '8d', offset: '2d' } },
        ...replace,
      });
      expect(dates['b']).toBeCloseTo(0.5, 6);
    }
    const places = scores({ gauss: { at: { origin: '0,0', scale: '111.1951km' } }, ...replace });
    expect(places['b']).toBeCloseTo(0.5, 4);
  });

  it('scores by the distance from an origin: of the nearest value, and only documents with one', () => {
    const query = (given: JsonObject) => ({
      distance_feature: { field: 'day', origin: '2024-01-06', pivot: '5d', ...given },
    });
    const found = (body: JsonObject) =>
      Object.fromEntries(things.search({ query: body }).hits.map(({ id, score }) => [id, score]));
    expect(found(query({}))).toEqual({ a: 0.5, b: 0.5 });
    expect(found(query({ boost: 3, origin: '2024-01-01' }))).toEqual({ a: 3, b: 1 });
    expect(found({ bool: { filter: query({}) } })).toEqual({ a: 0, b: 0 });
    expect(found(query({ field: 'unknown' }))).toEqual({});
    const point = query({ field: 'at', origin: [1, 0], pivot: '111.1951km' });
    expect(found(point)['a']).toBeCloseTo(0.5, 4);
    expect(() => found(query({ field: 'n' }))).toThrow(
      '"n" at query.distance_feature must be a date or a geo_point, not double',
    );
    expect(() => found(query({ pivot: '0d' }))).toThrow('pivot (must be > 0) of distance_feature on "day"');
    expect(() => found(query({ origin: 'x' }))).toThrow('origin of distance_feature on "day"');
  });

  it('leaves out what scores too little, also if no scores are returned', () => {
    const low = {
      function_score: { field_value_factor: { field: 'n', missing: 0 }, min_score: 5, ...replace },
    };
    expect(things.ids({ query: low })).toEqual(['b']);
    expect(things.count({ query: { bool: { filter: low } } })).toBe(1);
    expect(things.ids({ query: { function_score: { weight: 3, max_boost: 2 } }, min_score: 3 })).toEqual([]);
  });

  it('gives the same random order for one seed', () => {
    const random = (seed: number) => scores({ random_score: { seed, field: 'tag' }, ...replace });
    expect(random(1)).toEqual(random(1));
    expect(random(1)).not.toEqual(random(2));
    for (const score of Object.values(random(3))) expect(score).toBeLessThan(1);
  });

  it('refuses what gives no score', () => {
    expect(() => scores({ field_value_factor: { field: 'n' } })).toThrow(/no value in the field "n"/);
    expect(() => scores({ field_value_factor: { field: 'n', factor: -1, missing: 1 } })).toThrow(/at least 0/);
  });
});
