import type { JsonObject } from '@millrace/language';
import { compileMapping } from '../mapping/compileMapping.js';
import { parseMapping } from '../mapping/parseMapping.js';
import { parseSearch } from '../request/parseSearch.js';
import { describe, expect, it } from 'vitest';
import { bindQuery } from '../kinds/bindQuery.js';
import { bindSearch } from '../request/bindSearch.js';

const compiled = compileMapping(
  parseMapping({
    properties: {
      title: { type: 'text' },
      tag: { type: 'keyword' },
      n: { type: 'integer' },
      day: { type: 'date' },
      place: { type: 'geo_point' },
      parts: { type: 'nested', properties: { name: { type: 'keyword' } } },
    },
  }),
);
const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const words = (count: number) => times(count, (n) => `w${n}`).join(' ');
const measure = (body: JsonObject) => bindSearch(parseSearch(body), compiled).excess;
const query = (query: JsonObject) => measure({ query });
const terms = (size: number, aggs?: JsonObject) => ({
  terms: { field: 'tag', size },
  ...(aggs === undefined ? {} : { aggs: { b: aggs } }),
});
const aggs = (a: JsonObject) => measure({ size: 0, aggs: { a } });

describe('what a search asks for', () => {
  it('is ordinary for searches as people write them', () => {
    const day = { date_histogram: { field: 'day', calendar_interval: 'day' } };
    const ordinary: readonly JsonObject[] = [
      {},
      { query: { match: { title: words(20) } }, size: 10_000 },
      { query: { match: { title: { query: words(20), fuzziness: 'AUTO' } } } },
      { query: { terms: { tag: times(65_000, String) } } },
      { query: { wildcard: { tag: '*a*a*a*' } } },
      { query: { query_string: { query: 'mill* AND (race OR rac~) AND "a phrase"' } } },
      { query: { bool: { filter: times(200, (n) => ({ term: { n } })) } } },
      { size: 0, aggs: { a: terms(10_000) } },
      { size: 0, aggs: { a: { ...day, aggs: { b: terms(40, { avg: { field: 'n' } }) } } } },
      { size: 0, aggs: { a: { ...day, aggs: { b: terms(10, terms(10)) } } } },
      { query: { match: { title: words(5) } }, size: 10, highlight: { fields: { '*': {} } } },
      { query: { nested: { path: 'parts', query: { match_all: {} }, inner_hits: {} } } },
    ];
    for (const body of ordinary) expect([body, measure(body)]).toEqual([body, undefined]);
  });

  it('is too much where buckets multiply, whatever they hold at the end', () => {
    expect(aggs(terms(100, terms(100)))).toEqual({ path: 'aggs.a.aggs.b.terms' });
    const cardinality = { cardinality: { field: 'n', precision_threshold: 40_000 } };
    expect(aggs(terms(1_000, cardinality))).toBeDefined();
    expect(aggs(terms(1_000, { top_hits: { size: 100 } }))).toBeDefined();
    const days = { date_histogram: { field: 'day', fixed_interval: '1ms' } };
    expect(aggs({ ...days, aggs: { b: terms(1_000) } })).toBeDefined();
    const sources = times(3, (n) => ({ [`s${n}`]: { terms: { field: 'tag' } } }));
    expect(aggs({ composite: { sources } })).toBeDefined();
    const deep = (depth: number): JsonObject => terms(10, depth > 1 ? deep(depth - 1) : undefined);
    expect(aggs(deep(3))).toBeDefined();
    const ranges = { range: { field: 'n', ranges: times(100, (from) => ({ from })) } };
    expect(aggs(ranges)).toBeUndefined();
    const few = { range: { field: 'n', ranges: times(80, (from) => ({ from })) } };
    expect(aggs({ ...few, aggs: { b: few } })).toBeDefined();
  });

  it('adds up siblings', () => {
    const many = Object.fromEntries(times(100, (n) => [`a${n}`, terms(101)]));
    expect(measure({ size: 0, aggs: many })).toBeDefined();
    expect(aggs({ filters: { filters: times(200, (n) => ({ wildcard: { tag: `*${n}*` } })) } })).toEqual({
      path: 'aggs.a.filters.filters[100].wildcard',
    });
  });

  it('is too much for hundreds of patterns, similar words or loose phrases', () => {
    const should = (make: (n: number) => JsonObject) => query({ bool: { should: times(200, make) } });
    expect(should((n) => ({ wildcard: { tag: `*${n}*` } }))).toBeDefined();
    expect(should((n) => ({ regexp: { tag: `.*${n}` } }))).toBeDefined();
    expect(should((n) => ({ prefix: { tag: `${n}` } }))).toBeDefined();
    expect(should((n) => ({ fuzzy: { tag: `${n}` } }))).toBeDefined();
    expect(query({ match: { title: { query: words(900), fuzziness: 2 } } })).toEqual({
      path: 'query.match',
    });
    const text = times(300, (n) => `w${n}~2`).join(' ');
    expect(query({ query_string: { query: text, fields: ['title'] } })).toBeDefined();
    expect(query({ match_phrase: { title: { query: words(500), slop: 9 } } })).toBeDefined();
    expect(query({ wildcard: { tag: '*a'.repeat(10_000) } })).toBeDefined();
    expect(query({ bool: { filter: times(1_020, (n) => ({ term: { n } })) } })).toBeDefined();
  });

  it('is too much for shapes and sorts of very many points', () => {
    const points = times(9_999, (n) => ({ lat: n % 80, lon: n % 170 }));
    expect(query({ geo_polygon: { place: { points } } })).toBeDefined();
    expect(measure({ sort: [{ _geo_distance: { place: points.slice(0, 1_000) } }] })).toBeDefined();
  });

  it('is too much where many documents are marked by many patterns, or listed with their objects', () => {
    const highlight = { fields: { title: {} } };
    const should = times(60, (n) => ({ wildcard: { title: `*${n}*` } }));
    expect(measure({ query: { bool: { should } }, size: 1_000, highlight })).toEqual({
      path: 'highlight',
    });
    const nested = { path: 'parts', query: { match_all: {} }, inner_hits: { size: 100 } };
    expect(measure({ query: { nested }, size: 1_000 })).toBeDefined();
    expect(measure({ query: { nested }, size: 0 })).toBeUndefined();
  });

  it('is refused where it gives too many buckets whatever the data are', () => {
    const ranges = { range: { field: 'n', ranges: times(300, (from) => ({ from })) } };
    expect(() => aggs({ ...ranges, aggs: { b: ranges } })).toThrow('more than 65536 buckets (at aggs.a.aggs.b');
    const filters = { filters: { filters: times(500, (n) => ({ term: { n } })) } };
    expect(() => aggs({ ...ranges, aggs: { b: filters } })).toThrow('more than 65536 buckets');
    expect(aggs(terms(10, { ...ranges, aggs: { b: ranges } }))).toBeDefined();
  });

  it('is refused where Elasticsearch could not be interrupted', () => {
    const phrase = (count: number) => ({ match_phrase: { title: { query: 'a '.repeat(count), slop: 2 } } });
    expect(query(phrase(3))).toBeUndefined();
    expect(() => query(phrase(21))).toThrow('each word 20 times (at query.match_phrase)');
    const long = 'a'.repeat(1_001);
    expect(() => query({ fuzzy: { tag: { value: long } } })).toThrow('may have 1000 characters');
    expect(() => query({ match: { tag: { query: long, fuzziness: 1 } } })).toThrow('not 1001');
    const text = `${words(100)} b`;
    expect(query({ match: { title: { query: text } } })).toBeUndefined();
    expect(() => query({ match: { title: { query: `b ${long}`, fuzziness: 1 } } })).toThrow('1001');
    expect(query({ match: { tag: long } })).toBeUndefined();
  });

  it('is counted for a query by itself as well', () => {
    const of = (body: JsonObject) => bindQuery(parseSearch({ query: body }).query, compiled).excess;
    expect(of({ match: { title: { query: words(900), fuzziness: 2 } } })).toBeDefined();
    expect(of({ match: { title: 'a' } })).toBeUndefined();
  });

  it('is found soon for lists in lists', () => {
    const levels = 19;
    const parts = (depth: number): JsonObject => ({
      parts: { type: 'nested', ...(depth === 1 ? {} : { properties: parts(depth - 1) }) },
    });
    const nested = (depth: number, around = ''): JsonObject => {
      if (depth === 0) return { match_all: {} };
      const path = `${around}parts`;
      const hits = { name: `i${depth}`, size: 2 };
      return { nested: { path, query: nested(depth - 1, `${path}.`), inner_hits: hits } };
    };
    const deep = compileMapping(parseMapping({ properties: parts(levels) }));
    const search = parseSearch({ query: nested(levels) });
    // CPU time: other processes don't count.
    const before = process.cpuUsage();
    expect(bindSearch(search, deep).excess).toBeDefined();
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
  });
});
