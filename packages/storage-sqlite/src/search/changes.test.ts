import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonValue } from '@millrace/language';
import { parseMapping, parseSearch } from '@millrace/query';
import { toOutcome } from '@millrace/search';
import { TestCollection } from './TestCollection.test.support.js';

let things: TestCollection;
beforeEach(() => {
  things = new TestCollection();
});
afterEach(() => {
  things.close();
});

describe('an index that follows its collection', () => {
  it('sees each write at once: additions, updates, deletions', () => {
    expect(things.ids({})).toEqual([]);
    things.put({ a: { t: 'x', n: 1 }, b: { t: 'x y', n: 2 } });
    expect(things.ids({ query: { match: { t: 'x' } } })).toEqual(['a', 'b']);
    things.put({ a: { t: 'z', n: 3 } });
    expect(things.ids({ query: { match: { t: 'x' } } })).toEqual(['b']);
    expect(things.search({ query: { match: { t: 'z' } } }).hits[0]).toMatchObject({
      id: 'a',
      version: 2,
    });
    things.delete('b');
    expect(things.ids({ sort: ['n'] })).toEqual(['a']);
    expect(things.count({ query: { ids: { values: ['a', 'b'] } } })).toBe(1);
    expect(things.caughtUp).toEqual([
      [1, 1],
      [1, 2],
    ]);
  });

  it('knows ids that came after the first sort by id', () => {
    things.put({ b: { n: 1 }, a: { n: 2 } });
    expect(things.ids({ sort: ['_id'] })).toEqual(['a', 'b']);
    things.put({ c: { n: 3 }, a: { n: 4 } });
    expect(things.ids({ sort: [{ _id: 'desc' }] })).toEqual(['c', 'b', 'a']);
  });

  it('takes fields of a later mapping from documents that were there before', () => {
    things.close();
    things = new TestCollection({ dynamic: false, properties: { name: { type: 'text' } } });
    things.put({ a: { name: 'Big Dog', size: 5 } });
    expect(things.ids({ query: { term: { size: 5 } } })).toEqual([]);
    things.updateMapping(
      parseMapping({
        properties: {
          size: { type: 'integer' },
          name: { type: 'text', fields: { raw: { type: 'keyword' } } },
        },
      }),
    );
    expect(things.ids({ query: { term: { size: 5 } } })).toEqual(['a']);
    expect(things.ids({ query: { term: { 'name.raw': 'Big Dog' } } })).toEqual(['a']);
  });

  it('is rebuilt when most of it is dead', () => {
    const documents = (round: number) =>
      Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`d${i}`, { round, i }]));
    for (let round = 0; round < 6; round += 1) {
      things.put(documents(round));
      expect(things.count({ query: { term: { round } } })).toBe(3_000);
      expect(things.count({ query: { match_all: {} } })).toBe(3_000);
    }
  });

  it('refuses to give out a damaged document', () => {
    things.put({ a: { n: 1 }, b: { n: 2 } });
    expect(things.count({})).toBe(2);
    things.exec(`UPDATE docs_1 SET j = '{"n":7}' WHERE id = 'a'`);
    expect(() => things.search({})).toThrow(/"a" is damaged/);
  });

  it('gives __proto__ back as data', () => {
    things.put({ a: JSON.parse('{"o": {"__proto__": {"x": 1}}, "n": 2}') as { n: number } });
    const [hit] = things.search({ _source: { excludes: ['n'] } }).hits;
    expect(JSON.stringify(hit?.source)).toBe('{"o":{"__proto__":{"x":1}}}');
    expect(things.ids({ query: { term: { 'o.__proto__.x': 1 } } })).toEqual(['a']);
  });
});

describe('a cursor', () => {
  const open = (body: JsonValue) => {
    const request = parseSearch(body);
    things.tasks.run({ type: 'openCursor', collectionNumber: 1, cursor: 9, request });
  };
  const next = () => toOutcome(things.tasks.run({ type: 'nextPage', cursor: 9 }));

  it('sees the documents of its first search, and aggregations on the first page alone', () => {
    things.put(Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`d${n}`, { n }])));
    open({ sort: ['n'], size: 10, aggs: { top: { max: { field: 'n' } } } });
    expect(next()).toMatchObject({ total: 25, aggregations: { top: { value: 24 } } });
    things.delete('d12').put({ d13: { n: 99 }, late: { n: 14.5 } });
    expect(things.count({})).toBe(25);
    const second = next();
    expect(second.hits.map(({ source }) => source)).toEqual(Array.from({ length: 10 }, (_, i) => ({ n: 10 + i })));
    expect(second).not.toHaveProperty('aggregations');
    expect(next().hits.map(({ id }) => id)).toEqual(['d20', 'd21', 'd22', 'd23', 'd24']);
    expect(next()).toMatchObject({ hits: [], total: 25 });
  });

  it('ends with its collection', () => {
    things.put({ a: { n: 1 } });
    open({});
    things.tasks.drop(1);
    expect(next).toThrow(/No such cursor/);
  });
});

describe('a scan', () => {
  it('gives every match once and leaves out what changed meanwhile', () => {
    things.put(Object.fromEntries(Array.from({ length: 2_500 }, (_, n) => [`d${n}`, { n }])));
    things.tasks.run({
      type: 'openScan',
      collectionNumber: 1,
      scan: 3,
      query: parseSearch({ query: { range: { n: { gte: 500 } } } }).query,
    });
    things.delete('d600').put({ d1700: { n: 1 } });
    const found: string[] = [];
    for (;;) {
      const batch = JSON.parse(things.tasks.run({ type: 'nextBatch', scan: 3 }).json) as { id: string }[] | null;
      if (batch === null) break;
      expect(batch.length).toBeLessThanOrEqual(1_000);
      found.push(...batch.map(({ id }) => id));
    }
    expect(new Set(found).size).toBe(found.length);
    expect(found).toHaveLength(1_998);
  });
});
