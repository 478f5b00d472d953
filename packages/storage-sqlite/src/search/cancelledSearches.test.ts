import type { JsonObject } from '@millrace/kernel';
import { parseSearch } from '@millrace/query';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Cancelled, toOutcome } from '@millrace/search';
import { TestCollection } from './TestCollection.test.support.js';

const COUNT = 6_000;
const range = (count: number) => Array.from({ length: count }, (_, i) => i);
const document = (n: number): JsonObject => ({
  n,
  t: `order no ${n} of x${n % 7}`,
  tags: range(8).map((i) => `tag${(n * 7 + i * 13) % 40}`),
  p: { lat: (n % 170) - 85, lon: (n % 350) - 175 },
  o: [
    { k: `k${n % 5}`, v: n % 100 },
    { k: `k${n % 3}`, v: n % 50 },
  ],
});

const things = new TestCollection({
  properties: { p: { type: 'geo_point' }, o: { type: 'nested' }, tags: { type: 'keyword' } },
}).put(Object.fromEntries(range(COUNT).map((n) => [`d${n}`, document(n)])));

// The clock is frozen, so that no search exceeds its deadline on a slow machine.
beforeAll(() => {
  vi.spyOn(performance, 'now').mockReturnValue(0);
  // The checks of indexing are not counted.
  things.ids({ query: { match_none: {} } });
});
afterAll(() => {
  vi.restoreAllMocks();
  things.close();
});

const polygon = range(500).map((i) => ({
  lat: 80 * Math.sin(i / 80),
  lon: 170 * Math.cos(i / 80),
}));
const should = (count: number, clause: (i: number) => JsonObject): JsonObject => ({
  query: { bool: { should: range(count).map(clause) } },
});
const tagged = (aggs: JsonObject): JsonObject => ({
  size: 0,
  aggs: { a: { terms: { field: 'tags', size: 40 }, aggs } },
});

/** Each with the minimum number of cancellation checks. */
const SEARCHES: readonly (readonly [string, number, JsonObject])[] = [
  ['a wildcard', 5, { query: { wildcard: { 't.keyword': { value: '*o*r*d*5*x*' } } } }],
  ['a regular expression', 5, { query: { regexp: { 't.keyword': '.*o.*r.*d.*5.*x.*' } } }],
  ['many clauses', 200, should(100, (i) => ({ match: { t: `order ${i}` } }))],
  ['many ranges', 200, should(100, (i) => ({ range: { n: { gte: i } } }))],
  ['a dis_max', 200, { query: { dis_max: { queries: range(100).map((i) => ({ range: { n: { gte: i } } })), tie_breaker: 0.5 } } }],
  ['negations', 100, { query: { bool: { must_not: range(100).map((i) => ({ term: { n: i } })) } } }],
  ['required clauses', 100, { query: { bool: { must: range(100).map(() => ({ match: { t: 'order' } })) } } }],
  ['optional clauses', 100, { query: { bool: { must: [{ match_all: {} }], should: range(100).map((i) => ({ match: { t: `x${i}` } })) } } }],
  ['nested queries', 100, should(100, (i) => ({ nested: { path: 'o', query: { range: { 'o.v': { gte: i } } } } }))],
  ['a polygon', 50, { query: { geo_polygon: { p: { points: polygon } } } }],
  ['scored functions', 50, { query: { function_score: { functions: range(50).map((i) => ({ filter: { range: { n: { gte: i } } }, weight: 2 })) } } }],
  ['buckets in buckets', 40, tagged({ b: { terms: { field: 'tags', size: 10 } } })],
  ['metrics of buckets', 80, tagged({ b: { percentiles: { field: 'n' } }, c: { cardinality: { field: 't.keyword' } } })],
  ['combinations', 20, { query: { range: { n: { lt: 200 } } }, size: 0, aggs: { a: { composite: { size: 100, sources: [{ x: { terms: { field: 'tags' } } }, { y: { terms: { field: 'tags' } } }, { z: { terms: { field: 'tags' } } }] } } } }],
  ['hits of buckets', 80, tagged({ b: { top_hits: { size: 2 } } })],
  ['a page of highlights', 300, { size: 300, query: { match: { t: 'order' } }, highlight: { fields: { t: {} } } }],
  ['inner hits', 100, { size: 100, query: { nested: { path: 'o', query: { match_all: {} }, inner_hits: {} } } }],
  ['a sorted page', 300, { size: 300, sort: [{ 't.keyword': 'desc' }] }],
]; // prettier-ignore

/** Runs a search that is cancelled at one check. @returns the number of checks */
function run(body: JsonObject, cancelledAt = Infinity): number {
  let looks = 0;
  const request = parseSearch(body);
  things.tasks.run({ type: 'search', collectionNumber: things.number, request }, () => ++looks > cancelledAt);
  return looks;
}

const resultOf = (body: JsonObject) => {
  const request = parseSearch(body);
  return toOutcome(things.tasks.run({ type: 'search', collectionNumber: things.number, request }));
};

describe('a search whose caller has left', () => {
  it.each(SEARCHES)('is cancelled in the midst of %s', (_, least, body) => {
    const looks = run(body);
    expect(looks).toBeGreaterThanOrEqual(least);
    for (const part of [0, 0.3, 0.7]) {
      expect(() => run(body, Math.floor(looks * part))).toThrow(Cancelled);
    }
  });

  it('changes no later result, wherever it was cancelled', () => {
    const before = SEARCHES.map(([, , body]) => resultOf(body));
    for (const [, , body] of SEARCHES) {
      const looks = run(body);
      for (let at = 0; at < looks; at += Math.ceil(looks / 5)) {
        expect(() => run(body, at)).toThrow(Cancelled);
      }
    }
    expect(SEARCHES.map(([, , body]) => resultOf(body))).toEqual(before);
  });

  it('leaves an index that is being built to be completed by the next search', () => {
    const fresh = new TestCollection().put(Object.fromEntries(range(3_000).map((n) => [`d${n}`, { n }])));
    try {
      const task = {
        type: 'count',
        collectionNumber: fresh.number,
        query: parseSearch({}).query,
      } as const;
      for (const at of [0, 1, 2]) {
        let looks = 0;
        expect(() => fresh.tasks.run(task, () => ++looks > at)).toThrow(Cancelled);
      }
      expect(fresh.count({})).toBe(3_000);
      expect(fresh.count({ query: { range: { n: { gte: 1_500 } } } })).toBe(1_500);
    } finally {
      fresh.close();
    }
  });

  it('lets the page of a cursor be asked for again', () => {
    const request = parseSearch({ sort: ['n'], size: 100 });
    things.tasks.run({ type: 'openCursor', collectionNumber: things.number, cursor: 7, request });
    const page = { type: 'nextPage', cursor: 7 } as const;
    let looks = 0;
    expect(() => things.tasks.run(page, () => ++looks > 50)).toThrow(Cancelled);
    const first = toOutcome(things.tasks.run(page));
    expect(first.hits.map(({ source }) => source?.['n'])).toEqual(range(100));
    things.tasks.closeCursor(7);
  });
});
