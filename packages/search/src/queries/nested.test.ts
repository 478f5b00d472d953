import type { JsonObject, JsonValue } from '@millrace/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TestCollection } from '../TestCollection.test.support.js';

const mapping: JsonObject = {
  properties: {
    name: { type: 'keyword' },
    price: { type: 'integer' },
    plain: { properties: { at: { type: 'date' } } },
    items: {
      type: 'nested',
      properties: {
        sku: { type: 'keyword' },
        n: { type: 'integer' },
        text: { type: 'text' },
        parts: { type: 'nested', properties: { id: { type: 'keyword' } } },
      },
    },
    shown: { type: 'nested', include_in_root: true, properties: { tag: { type: 'keyword' } } },
  },
};

const documents: Record<string, JsonObject> = {
  a: {
    price: 1,
    items: [
      { sku: 'x', n: 1, text: 'red bolt', parts: [{ id: 'p' }] },
      { sku: 'y', n: 5, text: 'blue bolt', parts: [{ id: 'q' }, { id: 'p' }] },
    ],
    shown: [{ tag: 'seen' }],
  },
  b: { price: 2, items: { sku: 'x', n: 5, text: 'red nut' } },
  c: { price: 3 },
};

describe('nested objects (SEARCH-26)', () => {
  const things = new TestCollection(mapping).put(documents);

  it('asks the fields of the objects that it is about where all fields are asked', () => {
    const all = { multi_match: { query: 'x' } };
    const sort: JsonValue[] = [{ 'items.n': { nested: { path: 'items', filter: all } } }, '_id'];
    expect(things.search({ sort }).hits.map((hit) => hit.sort?.[0])).toEqual([1, 5, 2 ** 63]);
    const parts = { nested: { path: 'items.parts' }, aggs: { p: { filter: { query_string: { query: 'p' } } } } };
    const aggs = { items: { nested: { path: 'items' }, aggs: { x: { filter: all }, parts } } };
    expect(things.search({ size: 0, aggs }).aggregations).toMatchObject({
      items: { x: { doc_count: 2 }, parts: { p: { doc_count: 2 } } },
    });
    const highlight = { fields: { 'items.sku': { highlight_query: all } } };
    const inner = {
      nested: { path: 'items', query: { match_all: {} }, inner_hits: { highlight } },
    };
    const [first] = things.search({ query: inner, sort: ['_id'] }).hits;
    expect(JSON.stringify(first?.innerHits)).toContain('<em>x</em>');
  });
  const nested = (query: JsonObject, more: JsonObject = {}) => ({
    nested: { path: 'items', query, ...more },
  });
  const both = (sku: string, n: number) => ({
    bool: { must: [{ term: { 'items.sku': sku } }, { term: { 'items.n': n } }] },
  });

  it.each<[string, JsonObject, string[]]>([
    ['conditions on one object', nested(both('x', 5)), ['b']],
    ['not on two', both('x', 5), []],
    ['any object', nested({ match_all: {} }), ['a', 'b']],
    ['none of the objects', { bool: { must_not: nested({ match_all: {} }) } }, ['c']],
    ['two levels at once', { nested: { path: 'items.parts', query: { term: { 'items.parts.id': 'q' } } } }, ['a']],
    ['level by level', nested({ nested: { path: 'items.parts', query: { term: { 'items.parts.id': 'p' } } } }), ['a']],
    ['fields included in the root', { term: { 'shown.tag': 'seen' } }, ['a']],
    ['these also by path', { nested: { path: 'shown', query: { exists: { field: 'shown.tag' } } } }, ['a']],
    ['an unmapped path, ignored', { nested: { path: 'nope', ignore_unmapped: true, query: { match_all: {} } } }, []],
    ['a path within itself', nested({ nested: { path: 'items', query: { term: { 'items.n': 1 } } } }), ['a']],
    [
      'a path that is not nested, ignored',
      { nested: { path: 'plain', ignore_unmapped: true, query: { match_all: {} } } },
      [],
    ],
    [
      'an unmapped path, ignored, whatever its inner hits are sorted by',
      {
        nested: {
          path: 'nope',
          ignore_unmapped: true,
          query: { match_all: {} },
          inner_hits: { sort: ['nope.n'] },
        },
      },
      [],
    ],
  ])('finds %s', (_, query, expected) => {
    expect(things.ids({ query }).sort()).toEqual(expected);
  });

  it.each<[string, number]>([
    ['avg', 3],
    ['sum', 6],
    ['min', 1],
    ['max', 5],
    ['none', 0],
  ])('makes the score by %s', (score_mode, expected) => {
    const value = { field_value_factor: { field: 'items.n' }, boost_mode: 'replace' };
    const { hits } = things.search({ query: nested({ function_score: value }, { score_mode }) });
    expect(hits.find(({ id }) => id === 'a')?.score).toBe(expected);
  });

  it('sorts by chosen objects', () => {
    const sort = (more: JsonObject): JsonValue => [
      { 'items.n': { nested: { path: 'items' }, ...more } },
      { price: 'asc' },
    ];
    expect(things.ids({ sort: sort({ order: 'asc' }) })).toEqual(['a', 'b', 'c']);
    expect(things.ids({ sort: sort({ order: 'desc' }) })).toEqual(['a', 'b', 'c']);
    expect(things.ids({ sort: sort({ order: 'asc', mode: 'sum' }) })).toEqual(['b', 'a', 'c']);
    const filter = { path: 'items', filter: { term: { 'items.sku': 'x' } } };
    const { hits } = things.search({ sort: sort({ order: 'desc', nested: filter }) });
    expect(hits.map(({ id, sort: values }) => [id, values?.[0]])).toEqual([
      ['b', 5],
      ['a', 1],
      ['c', -(2 ** 63)],
    ]);
    expect(() => things.ids({ sort: [{ 'items.n': 'asc' }] })).toThrow(/needs "nested"/);
  });

  it('gives the objects that matched', () => {
    const query = nested(
      { match: { 'items.text': 'bolt' } },
      {
        inner_hits: {
          sort: [{ 'items.n': 'desc' }],
          size: 1,
          _source: ['items.sku'],
          highlight: { fields: { 'items.text': {} } },
        },
      },
    );
    const { hits } = things.search({ query });
    expect(hits[0]?.innerHits).toEqual({
      items: {
        total: 2,
        max_score: null,
        hits: [
          {
            _index: 'shop',
            _type: 'things',
            _id: 'a',
            _nested: { field: 'items', offset: 1 },
            _score: null,
            _source: { sku: 'y' },
            sort: [5],
            highlight: { 'items.text': ['blue <em>bolt</em>'] },
          },
        ],
      },
    });
  });

  it('gives objects of objects, also from afar', () => {
    const parts = {
      path: 'items.parts',
      query: { term: { 'items.parts.id': 'p' } },
      inner_hits: {},
    };
    const inner = things.search({ query: { nested: parts } }).hits[0]?.innerHits as Record<
      string,
      { hits: { _nested: JsonValue; _source: JsonValue }[] }
    >;
    expect(inner['items.parts']?.hits.map(({ _nested, _source }) => [_nested, _source])).toEqual([
      [{ field: 'items', offset: 0, _nested: { field: 'parts', offset: 0 } }, { id: 'p' }],
      [{ field: 'items', offset: 1, _nested: { field: 'parts', offset: 1 } }, { id: 'p' }],
    ]);
  });

  it('counts all inner hits, also where the page begins after the last one', () => {
    for (const page of [{ size: 0 }, { from: 1, size: 1 }, { from: 9 }, { from: 9, sort: ['_score'] }]) {
      const [hit] = things.search({ query: nested({ match_all: {} }, { inner_hits: page }) }).hits;
      expect(hit?.innerHits).toMatchObject({ items: { total: 2 } });
    }
  });

  it('refuses two inner hits of one name', () => {
    const one = nested({ match_all: {} }, { inner_hits: {} });
    expect(() => things.search({ query: { bool: { should: [one, one] } } })).toThrow(/Two inner_hits/);
  });

  it('aggregates objects and goes back to their documents', () => {
    const back = { back: { reverse_nested: {}, aggs: { p: { max: { field: 'price' } } } } };
    const aggs = {
      i: {
        nested: { path: 'items' },
        aggs: {
          s: { terms: { field: 'items.sku' }, aggs: back },
          parts: {
            nested: { path: 'items.parts' },
            aggs: { up: { reverse_nested: { path: 'items' } } },
          },
          red: { filter: { match: { 'items.text': 'red' } } },
        },
      },
    };
    expect(things.search({ size: 0, aggs }).aggregations).toEqual({
      i: {
        doc_count: 3,
        s: {
          doc_count_error_upper_bound: 0,
          sum_other_doc_count: 0,
          buckets: [
            { key: 'x', doc_count: 2, back: { doc_count: 2, p: { value: 2 } } },
            { key: 'y', doc_count: 1, back: { doc_count: 1, p: { value: 1 } } },
          ],
        },
        parts: { doc_count: 3, up: { doc_count: 2 } },
        red: { doc_count: 2 },
      },
    });
  });

  it('searches the fields of the objects alone by a pattern', () => {
    const filter = (field: string) => ({
      nested: { path: 'items' },
      aggs: { f: { filter: { simple_query_string: { query: '"no number"', fields: [field] } } } },
    });
    const aggregations = (field: string) => things.search({ size: 0, aggs: { a: filter(field) } }).aggregations;
    expect(aggregations('titl*')).toMatchObject({ a: { f: { doc_count: 0 } } });
    expect(aggregations('pric*')).toMatchObject({ a: { f: { doc_count: 0 } } });
    expect(() => aggregations('items.n*')).toThrow(/items\.n/);
  });

  it('finds by patterns of fields what include_in_root brings to the documents', () => {
    const found = (query: JsonObject) => things.search({ query }).hits.map(({ id }) => id);
    expect(found({ query_string: { query: 'seen' } })).toEqual(['a']);
    expect(found({ simple_query_string: { query: 'seen', fields: ['shown.*'] } })).toEqual(['a']);
    expect(found({ multi_match: { query: 'seen', type: 'cross_fields' } })).toEqual(['a']);
    expect(found({ multi_match: { query: 'bolt' } })).toEqual([]);
    expect(found({ nested: { path: 'items', query: { multi_match: { query: 'bolt' } } } })).toEqual(['a']);
    expect(found({ nested: { path: 'items', query: { multi_match: { query: 'seen' } } } })).toEqual([]);
  });

  it('shows terms of other objects by min_doc_count 0, with a count of 0', () => {
    const terms = (field: string, size = 10) => ({ terms: { field, min_doc_count: 0, size } });
    const keys = (...pairs: readonly (readonly [JsonValue, number])[]) => ({
      buckets: pairs.map(([key, count]) => ({ key, doc_count: count })),
    });
    const aggs = {
      sku: terms('items.sku'),
      n: terms('items.n'),
      missing: { terms: { field: 'items.sku', min_doc_count: 0, missing: 'x', include: 'x' } },
      i: {
        nested: { path: 'items' },
        aggs: {
          price: terms('price', 2),
          id: terms('items.parts.id'),
          back: { reverse_nested: {}, aggs: { sku: terms('items.sku') } },
        },
      },
      nowhere: { nested: { path: 'nowhere' }, aggs: { price: terms('price') } },
      tag: terms('shown.tag'),
    };
    expect(things.search({ size: 0, aggs }).aggregations).toMatchObject({
      sku: keys(['x', 0], ['y', 0]),
      n: keys([1, 0], [5, 0]),
      missing: keys(['x', 3]),
      i: {
        price: keys([1, 0], [2, 0]),
        id: keys(['p', 0], ['q', 0]),
        back: { sku: keys(['x', 0], ['y', 0]) },
      },
      nowhere: { price: keys() },
      tag: keys(['seen', 1]),
    });
  });

  it('forgets the objects of documents that are gone', () => {
    const some = new TestCollection(mapping).put(documents);
    const query = nested({ term: { 'items.n': 5 } });
    expect(some.count({ query })).toBe(2);
    some.put({ b: { price: 2 } }).delete('c');
    expect(some.ids({ query })).toEqual(['a']);
    const aggs = { i: { nested: { path: 'items' } } };
    expect(some.search({ aggs }).aggregations).toEqual({ i: { doc_count: 2 } });
  });

  it('agrees with a look at each object', () => {
    const object = fc.record({ sku: fc.constantFrom('x', 'y'), n: fc.integer({ min: 0, max: 2 }) });
    const list = fc.array(fc.array(object, { maxLength: 3 }), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(list, (all) => {
        const some = new TestCollection(mapping);
        some.put(Object.fromEntries(all.map((items, i) => [`d${i}`, { items }])));
        for (const sku of ['x', 'y']) {
          const expected = all.flatMap((items, i) =>
            items.some((one) => one.sku === sku && one.n === 1) ? [`d${i}`] : [],
          );
          expect(some.ids({ query: nested(both(sku, 1)), sort: ['_doc'] })).toEqual(expected);
        }
      }),
      { seed: 7, numRuns: 30 },
    );
  });
});
