/* Results of Elasticsearch 8.14 to searches on numbers, which the embedded engine must return too. */
import type { JsonObject } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { TestCollection } from './TestCollection.test.support.js';

function collection(properties: JsonObject, documents: Record<string, JsonObject>): TestCollection {
  return new TestCollection({ properties }).put(documents);
}

describe('a search on numbers, as in Elasticsearch', () => {
  it('takes bounds beyond the range of a fraction field as infinite', () => {
    const things = collection({ f: { type: 'float' } }, { a: { f: 3 } });
    const count = (range: JsonObject) => things.count({ query: { range: { f: range } } });
    expect(count({ gte: '1e400' })).toBe(0);
    expect(count({ gte: 1, lte: '1e400' })).toBe(1);
    expect(count({ gt: 1e39 })).toBe(0);
    expect(count({ gt: -Infinity })).toBe(1);
  });

  it('takes a number for milliseconds in match and match_phrase of one date field, whatever its format', () => {
    const things = collection(
      { d: { type: 'date', format: 'date_hour_minute_second' } },
      { a: { d: '2023-12-21T00:00:00' } },
    );
    const ids = (query: JsonObject) => things.ids({ query });
    expect(ids({ match: { d: 1703116800000 } })).toEqual(['a']);
    expect(ids({ match_phrase: { d: 1703116800000 } })).toEqual(['a']);
    expect(ids({ match_phrase: { d: 1703116800005 } })).toEqual([]);
    expect(ids({ match: { d: { query: 1703116800000, analyzer: 'keyword' } } })).toEqual(['a']);
    expect(ids({ match: { d: { query: 1703116800000, lenient: true } } })).toEqual([]);
    for (const query of [
      { match: { d: '1703116800000' } },
      { match_bool_prefix: { d: 1703116800000 } },
      { multi_match: { query: 1703116800000, fields: ['d'], type: 'cross_fields' } },
    ])
      expect(() => ids(query)).toThrow(/expected a date/);
  });

  it('goes on after a fraction of 32 bits as it was shown', () => {
    const things = collection(
      { f: { type: 'float' }, h: { type: 'half_float' } },
      { a: { f: 0.1, h: 0.1 }, b: { f: 0.2, h: 0.2 } },
    );
    for (const field of ['f', 'h']) {
      const sort = [{ [field]: 'asc' }];
      const [first] = things.search({ sort }).hits;
      expect(things.ids({ sort, search_after: [...(first?.sort ?? [])] })).toEqual(['b']);
    }
  });

  it('compares sums of fractions of 32 bits in 32 bits', () => {
    const things = collection({ f: { type: 'float' } }, { a: { f: 5.75 }, b: { f: [1e-8, 5.75] }, c: { f: 1 } });
    const sort: JsonObject[] = [{ f: { mode: 'sum' } }, { _id: 'desc' }];
    expect(things.ids({ sort })).toEqual(['c', 'b', 'a']);
    const double = { mode: 'sum', numeric_type: 'double' };
    expect(things.ids({ sort: [{ f: double }, { _id: 'desc' }] })).toEqual(['c', 'a', 'b']);
  });

  it('orders by all of a fraction that is read as a whole number, then by what comes next', () => {
    const documents = Object.fromEntries(
      Array.from({ length: 30_000 }, (_, i) => [`d${String(i).padStart(5, '0')}`, { f: i / 3e5 }]),
    );
    const things = collection({ f: { type: 'double' } }, documents);
    const sort: JsonObject[] = [{ f: { numeric_type: 'long' } }, { _id: 'desc' }];
    expect(things.search({ size: 1, sort }).hits[0]?.id).toBe('d29999');
  });

  it('ignores inner_hits on an unmapped path', () => {
    const things = collection({}, { a: {} });
    const nested = { path: 'items', query: { match_all: {} }, ignore_unmapped: true };
    const should = [{ match_all: {} }, { nested: { ...nested, inner_hits: {} } }];
    expect(things.search({ query: { bool: { should } } }).hits[0]).not.toHaveProperty('innerHits');
  });
});
