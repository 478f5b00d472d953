import { NO_DOCUMENT_METADATA } from '@millrace/kernel';
import type { JsonObject } from '@millrace/language';
import { bindQuery, compileMapping, mergeMapping, parseMapping, parseQuery } from '@millrace/query';
import { describe, expect, it } from 'vitest';
import { LiveQueries } from './LiveQueries.js';

// Random queries and documents are compared with searches in test/differential/matches.test.ts.

const mapping = compileMapping(
  parseMapping({
    properties: {
      title: { type: 'text' },
      tag: { type: 'keyword', copy_to: 'everything' },
      everything: { type: 'text' },
      price: { type: 'double' },
      place: { type: 'geo_point' },
      items: {
        type: 'nested',
        properties: { name: { type: 'keyword' }, count: { type: 'integer' } },
      },
    },
  }),
);
const bind = (body: JsonObject, to = mapping) => bindQuery(parseQuery(body), to).query;
const documentOf = (source: JsonObject) => ({ id: 'd1', source, meta: NO_DOCUMENT_METADATA });

const list = <T>(length: number, make: (n: number) => T) => Array.from({ length }, (_, n) => make(n));

function liveOf(queries: Readonly<Record<string, JsonObject>>): LiveQueries {
  const live = new LiveQueries(mapping);
  for (const [key, body] of Object.entries(queries)) live.add(key, bind(body));
  return live;
}

describe('LiveQueries', () => {
  // Bytes per query, measured with --expose-gc (Node 20) with 100 queries on one collection, and with one on each of 100.
  it.each<[string, JsonObject, number, number]>([
    ['a word in every field', { multi_match: { query: 'word', fields: ['*'] } }, 85_000, 350_000],
    [
      'a phrase in every field',
      { multi_match: { query: 'two words', type: 'phrase', fields: ['*'] } },
      520_000,
      880_000,
    ],
    [
      'ranges of 300 fields',
      {
        bool: { should: list(300, (n) => ({ range: { [`number${n}`]: { gte: n, lt: n + 7 } } })) },
      },
      234_000,
      830_000,
    ],
    [
      '500 ranges of one field',
      { bool: { should: list(500, (n) => ({ range: { number0: { gte: n, lt: n + 7 } } })) } },
      353_000,
      362_000,
    ],
    [
      'no value of 300 fields',
      { bool: { must_not: list(300, (n) => ({ term: { [`number${n}`]: n } })) } },
      112_000,
      220_000,
    ],
    ['1,000 values', { terms: { number0: list(1_000, (n) => n * 3) } }, 65_000, 75_000],
    ['a pattern', { regexp: { tag: { value: 'ab[a-z]{3,20}x' } } }, 4_900, 6_500],
  ])('estimates the memory of %s (LIVE-8)', (_, body, least, most) => {
    const properties: Record<string, { type: string }> = { tag: { type: 'keyword' } };
    for (let n = 0; n < 480; n++) properties[`text${n}`] = { type: 'text' };
    for (let n = 0; n < 300; n++) properties[`number${n}`] = { type: 'integer' };
    const wide = compileMapping(parseMapping({ properties }));
    const bytes = new LiveQueries(wide).add('a', bind(body, wide));
    expect(bytes).toBeGreaterThan(least / 2);
    expect(bytes).toBeGreaterThan(most / 2.5);
    expect(bytes).toBeLessThan(least * 3);
  });

  it('finds the queries that match, by filters alone where these decide', () => {
    const live = liveOf({
      tag: { term: { tag: 'a.b' } },
      cheap: { bool: { filter: [{ term: { tag: 'red' } }, { range: { price: { lt: 5 } } }] } },
      words: { match: { title: { query: 'Old MILL', operator: 'and' } } },
      copied: { match: { everything: 'red' } },
      without: { bool: { must_not: { exists: { field: 'price' } } } },
      near: { geo_distance: { place: '48,11', distance: '3km' } },
      id: { ids: { values: ['d1', 'd2'] } },
    });
    expect(live.size).toEqual({ queries: 7, exact: 7 });
    const test = (source: JsonObject) => live.test(documentOf(source)).sort();
    expect(test({ tag: ['red', 'a.b'], price: 4.5 })).toEqual(['cheap', 'copied', 'id', 'tag']);
    expect(test({ tag: 'red', price: 5 })).toEqual(['copied', 'id']);
    expect(test({ title: 'the mill is old', place: [11.01, 48] })).toEqual(['id', 'near', 'without', 'words']);
  });

  it('tells terms apart that differ only in a dot', () => {
    const live = liveOf({ dot: { term: { tag: 'a.b' } }, nul: { term: { tag: 'a\0b' } } });
    expect(live.test(documentOf({ tag: 'a\0b' }))).toEqual(['nul']);
    expect(live.test(documentOf({ tag: 'a.b' }))).toEqual(['dot']);
    const dots = '.'.repeat(300);
    live.add('dots', bind({ term: { tag: dots } }));
    expect(live.test(documentOf({ tag: dots }))).toEqual(['dots']);
    expect(live.test(documentOf({ tag: `${dots}x` }))).toEqual([]);
  });

  it('asks the executor where filters leave it open', () => {
    const live = liveOf({
      phrase: { match_phrase: { title: 'old mill' } },
      prefix: { prefix: { tag: 're' } },
      notPrefix: { bool: { must_not: { prefix: { tag: 're' } } } },
      together: {
        nested: {
          path: 'items',
          query: { bool: { filter: [{ term: { 'items.name': 'nail' } }, { range: { 'items.count': { gt: 5 } } }] } },
        },
      },
      another: { nested: { path: 'items', query: { bool: { must_not: { term: { 'items.name': 'nail' } } } } } },
    });
    expect(live.size).toEqual({ queries: 5, exact: 0 });
    const items = [
      { name: 'nail', count: 1 },
      { name: 'screw', count: 9 },
    ];
    const test = (source: JsonObject) => live.test(documentOf(source)).sort();
    expect(test({ title: 'an old mill', tag: 'red', items })).toEqual(['another', 'phrase', 'prefix']);
    expect(test({ title: 'mill, old', items: [{ name: 'nail', count: 6 }] })).toEqual(['notPrefix', 'together']);
  });

  it('compares each of several numbers and points', () => {
    const live = liveOf({
      two: { bool: { filter: [{ term: { price: 1 } }, { term: { price: 9 } }] } },
      between: { range: { price: { gt: 2, lt: 8 } } },
      not: { bool: { must_not: { term: { price: 9 } } } },
      box: { geo_bounding_box: { place: { top: 2, left: -2, bottom: -2, right: 2 } } },
    });
    const places = ['50,50', '1,1'];
    expect(live.test(documentOf({ price: [1, 9], place: places })).sort()).toEqual(['box', 'two']);
    expect(live.test(documentOf({ price: [1, 3] })).sort()).toEqual(['between', 'not']);
  });

  it('replaces and removes queries, also ones that share a filter', () => {
    const live = liveOf({ a: { prefix: { tag: 'r' } }, b: { prefix: { tag: 'g' } } });
    live.add('a', bind({ term: { tag: 'green' } }));
    expect(live.test(documentOf({ tag: 'green' })).sort()).toEqual(['a', 'b']);
    expect([live.remove('b'), live.remove('b')]).toEqual([true, false]);
    expect(live.test(documentOf({ tag: 'green' }))).toEqual(['a']);
    live.remove('a');
    expect(live.test(documentOf({ tag: 'green' }))).toEqual([]);
  });

  it('takes a mapping with more fields', () => {
    const live = liveOf({ old: { term: { tag: 'x' } } });
    const wider = compileMapping(
      mergeMapping(mapping.mapping, parseMapping({ properties: { size: { type: 'long' } } })),
      mapping,
    );
    live.setMapping(wider);
    live.add('new', bind({ range: { size: { gte: 3 } } }, wider));
    expect(live.test(documentOf({ tag: 'x', size: 3 })).sort()).toEqual(['new', 'old']);
  });

  it('tests every document against a query that is too large for a filter', () => {
    const padding = 'x'.repeat(100);
    const clauses = Array.from({ length: 1_000 }, (_, i) => ({
      terms: { tag: Array.from({ length: 20 }, (_, j) => `t${i}-${j}-${padding}`) },
    }));
    const live = liveOf({ large: { bool: { should: clauses } } });
    expect(live.size.exact).toBe(0);
    expect(live.test(documentOf({ tag: `t999-19-${padding}` }))).toEqual(['large']);
    expect(live.test(documentOf({ tag: `t1000-0-${padding}` }))).toEqual([]);
  });
});
