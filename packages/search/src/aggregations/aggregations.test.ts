import type { JsonObject } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { TestCollection } from '../TestCollection.test.support.js';

const mapping: JsonObject = {
  properties: {
    tag: { type: 'keyword' },
    price: { type: 'double' },
    qty: { type: 'integer' },
    on: { type: 'boolean' },
    day: { type: 'date' },
    loc: { type: 'geo_point' },
    ip: { type: 'ip' },
    text: { type: 'text' },
  },
};
const documents: Record<string, JsonObject> = {
  a: { tag: ['fruit', 'red'], price: 1.5, qty: 10, on: true, day: '2024-01-15', ip: '10.0.0.1' },
  b: { tag: ['dessert'], price: 4, qty: 3, on: true, day: '2024-02-10T08:30:00Z' },
  c: { tag: ['dessert', 'bread'], price: 3.25, qty: 0, on: false, day: '2024-02-28' },
  d: { tag: ['drink', 'fruit'], price: 2, qty: 7, on: true, day: '2023-12-31T23:59:59Z' },
  e: { tag: ['bread'], price: 2.75, qty: 12, on: false, day: '2024-03-01' },
  f: { tag: ['animal', 'story'], price: 10, qty: 1, on: true, day: '2024-06-15' },
  g: { tag: ['animal'], price: 8, on: false },
  h: { qty: 5, text: 'words' },
};
const shop = new TestCollection(mapping).put(documents);

const compute = (aggregation: JsonObject, more: JsonObject = {}) =>
  (shop.search({ size: 0, aggs: { x: aggregation }, ...more }).aggregations as { x: unknown }).x;
const buckets = (pairs: readonly (readonly [unknown, number])[]) =>
  pairs.map(([key, doc_count]) => ({ key, doc_count }));
const none = { doc_count_error_upper_bound: 0, sum_other_doc_count: 0 };
const ms = Date.parse;

describe('bucket aggregations (SEARCH-50, SEARCH-51)', () => {
  it.each([
    [
      { terms: { field: 'tag' } },
      {
        ...none,
        buckets: buckets([
          ['animal', 2],
          ['bread', 2],
          ['dessert', 2],
          ['fruit', 2],
          ['drink', 1],
          ['red', 1],
          ['story', 1],
        ]),
      },
    ],
    [
      { terms: { field: 'tag', size: 3 } },
      {
        ...none,
        sum_other_doc_count: 5,
        buckets: buckets([
          ['animal', 2],
          ['bread', 2],
          ['dessert', 2],
        ]),
      },
    ],
    [
      { terms: { field: 'tag', size: 2, order: { _key: 'desc' } } },
      {
        ...none,
        sum_other_doc_count: 9,
        buckets: buckets([
          ['story', 1],
          ['red', 1],
        ]),
      },
    ],
    [
      {
        terms: { field: 'tag', size: 1, order: { p: 'desc' } },
        aggs: { p: { max: { field: 'price' } } },
      },
      {
        ...none,
        sum_other_doc_count: 9,
        buckets: [{ key: 'animal', doc_count: 2, p: { value: 10 } }],
      },
    ],
    [
      {
        terms: { field: 'on', order: { 's.avg': 'asc' } },
        aggs: { s: { stats: { field: 'price' } } },
      },
      {
        ...none,
        buckets: [
          {
            key: 1,
            key_as_string: 'true',
            doc_count: 4,
            s: { count: 4, min: 1.5, max: 10, avg: 4.375, sum: 17.5 },
          },
          {
            key: 0,
            key_as_string: 'false',
            doc_count: 3,
            s: { count: 3, min: 2.75, max: 8, avg: 14 / 3, sum: 14 },
          },
        ],
      },
    ],
    [
      { terms: { field: 'tag', min_doc_count: 2, exclude: 'a.*' } },
      {
        ...none,
        buckets: buckets([
          ['bread', 2],
          ['dessert', 2],
          ['fruit', 2],
        ]),
      },
    ],
    [
      { terms: { field: 'tag', include: ['red', 'drink'] } },
      {
        ...none,
        buckets: buckets([
          ['drink', 1],
          ['red', 1],
        ]),
      },
    ],
    [{ terms: { field: 'tag', missing: 'none', include: ['none'] } }, { ...none, buckets: buckets([['none', 1]]) }],
    [
      { terms: { field: 'qty', size: 2, order: { _key: 'asc' } } },
      {
        ...none,
        sum_other_doc_count: 5,
        buckets: buckets([
          [0, 1],
          [1, 1],
        ]),
      },
    ],
    [{ terms: { field: 'price', size: 1 } }, { ...none, sum_other_doc_count: 6, buckets: buckets([[1.5, 1]]) }],
    [{ terms: { field: 'ip' } }, { ...none, buckets: buckets([['10.0.0.1', 1]]) }],
    [
      { terms: { field: 'day', size: 1, order: { _key: 'asc' } } },
      {
        ...none,
        sum_other_doc_count: 5,
        buckets: [
          {
            key: ms('2023-12-31T23:59:59Z'),
            key_as_string: '2023-12-31T23:59:59.000Z',
            doc_count: 1,
          },
        ],
      },
    ],
    [{ terms: { field: 'nowhere' } }, { ...none, buckets: [] }],
    [
      { range: { field: 'price', ranges: [{ from: 4 }, { to: 2 }, { from: 2, to: 4 }] } },
      {
        buckets: [
          { key: '*-2.0', to: 2, doc_count: 1 },
          { key: '2.0-4.0', from: 2, to: 4, doc_count: 3 },
          { key: '4.0-*', from: 4, doc_count: 3 },
        ],
      },
    ],
    [
      { range: { field: 'price', keyed: true, ranges: [{ key: 'cheap', to: 3 }] } },
      { buckets: { cheap: { to: 3, doc_count: 3 } } },
    ],
    [
      {
        date_range: {
          field: 'day',
          format: 'yyyy-MM-dd',
          ranges: [{ to: '2024-02-01' }, { from: '2024-02-01', to: '2024-02-01||+1M' }],
        },
      },
      {
        buckets: [
          { key: '*-2024-02-01', to: ms('2024-02-01'), to_as_string: '2024-02-01', doc_count: 2 },
          {
            key: '2024-02-01-2024-03-01',
            from: ms('2024-02-01'),
            from_as_string: '2024-02-01',
            to: ms('2024-03-01'),
            to_as_string: '2024-03-01',
            doc_count: 2,
          },
        ],
      },
    ],
    [
      { histogram: { field: 'qty', interval: 2 } },
      {
        buckets: buckets([
          [0, 2],
          [2, 1],
          [4, 1],
          [6, 1],
          [8, 0],
          [10, 1],
          [12, 1],
        ]),
      },
    ],
    [
      { histogram: { field: 'qty', interval: 5, offset: 1 } },
      {
        buckets: buckets([
          [-4, 1],
          [1, 3],
          [6, 2],
          [11, 1],
        ]),
      },
    ],
    [
      { histogram: { field: 'price', interval: 5, extended_bounds: { min: -5, max: 16 } } },
      {
        buckets: buckets([
          [-5, 0],
          [0, 5],
          [5, 1],
          [10, 1],
          [15, 0],
        ]),
      },
    ],
    [
      { histogram: { field: 'price', interval: 5, hard_bounds: { min: 0, max: 5 } } },
      {
        buckets: buckets([
          [0, 5],
          [5, 1],
        ]),
      },
    ],
    [
      { histogram: { field: 'price', interval: 5, keyed: true } },
      {
        buckets: {
          '0.0': { key: 0, doc_count: 5 },
          '5.0': { key: 5, doc_count: 1 },
          '10.0': { key: 10, doc_count: 1 },
        },
      },
    ],
    [
      { histogram: { field: 'price', interval: 5, order: { _count: 'asc' } } },
      {
        buckets: buckets([
          [5, 1],
          [10, 1],
          [0, 5],
        ]),
      },
    ],
    [
      { date_histogram: { field: 'day', calendar_interval: '1q', format: 'yyyy-MM' } },
      {
        buckets: [
          { key_as_string: '2023-10', key: ms('2023-10-01'), doc_count: 1 },
          { key_as_string: '2024-01', key: ms('2024-01-01'), doc_count: 4 },
          { key_as_string: '2024-04', key: ms('2024-04-01'), doc_count: 1 },
        ],
      },
    ],
    [
      { date_histogram: { field: 'day', calendar_interval: 'year', time_zone: '+01:00' } },
      {
        buckets: [
          {
            key_as_string: '2024-01-01T00:00:00.000+01:00',
            key: ms('2023-12-31T23:00:00Z'),
            doc_count: 6,
          },
        ],
      },
    ],
    [
      { filter: { term: { tag: 'fruit' } }, aggs: { q: { avg: { field: 'qty' } } } },
      { doc_count: 2, q: { value: 8.5 } },
    ],
    [
      {
        filters: {
          filters: { sweet: { term: { tag: 'dessert' } }, cheap: { range: { price: { lt: 2 } } } },
          other_bucket_key: 'rest',
        },
      },
      { buckets: { sweet: { doc_count: 2 }, cheap: { doc_count: 1 }, rest: { doc_count: 5 } } },
    ],
    [
      { filters: { filters: [{ term: { on: true } }, { term: { on: false } }] } },
      { buckets: [{ doc_count: 4 }, { doc_count: 3 }] },
    ],
    [{ missing: { field: 'qty' } }, { doc_count: 1 }],
    [
      {
        composite: {
          size: 3,
          sources: [{ on: { terms: { field: 'on' } } }, { tag: { terms: { field: 'tag', order: 'desc' } } }],
        },
      },
      {
        after_key: { on: false, tag: 'animal' },
        buckets: [
          { key: { on: false, tag: 'dessert' }, doc_count: 1 },
          { key: { on: false, tag: 'bread' }, doc_count: 2 },
          { key: { on: false, tag: 'animal' }, doc_count: 1 },
        ],
      },
    ],
    [
      {
        composite: {
          size: 2,
          after: { on: false, tag: 'animal' },
          sources: [{ on: { terms: { field: 'on' } } }, { tag: { terms: { field: 'tag', order: 'desc' } } }],
        },
      },
      {
        after_key: { on: true, tag: 'red' },
        buckets: [
          { key: { on: true, tag: 'story' }, doc_count: 1 },
          { key: { on: true, tag: 'red' }, doc_count: 1 },
        ],
      },
    ],
  ] as [JsonObject, unknown][])('%j', (aggregation, expected) => {
    expect(compute(aggregation)).toEqual(expected);
  });

  it('fills the days of a gap, also over a change of the clock', () => {
    const { buckets: days } = compute(
      { date_histogram: { field: 'day', calendar_interval: 'day', time_zone: 'Europe/Paris' } },
      { query: { range: { day: { gte: '2024-03-01' } } } },
    ) as { buckets: { key: number; key_as_string: string; doc_count: number }[] };
    expect(days).toHaveLength(107);
    expect(days[0]).toEqual({
      key_as_string: '2024-03-01T00:00:00.000+01:00',
      key: ms('2024-02-29T23:00Z'),
      doc_count: 1,
    });
    expect(days.at(-1)).toEqual({
      key_as_string: '2024-06-15T00:00:00.000+02:00',
      key: ms('2024-06-14T22:00Z'),
      doc_count: 1,
    });
  });

  it('nests, and sees the query while global sees the collection (SEARCH-52)', () => {
    expect(
      compute({
        terms: { field: 'on' },
        aggs: { t: { terms: { field: 'tag', size: 1 }, aggs: { q: { sum: { field: 'qty' } } } } },
      }),
    ).toMatchObject({
      buckets: [
        { key: 1, t: { buckets: [{ key: 'fruit', doc_count: 2, q: { value: 17 } }] } },
        { key: 0, t: { buckets: [{ key: 'bread', q: { value: 12 } }] } },
      ],
    });
    const query = { term: { tag: 'fruit' } };
    expect(compute({ sum: { field: 'qty' } }, { query })).toEqual({ value: 17 });
    expect(compute({ global: {}, aggs: { s: { sum: { field: 'qty' } } } }, { query })).toEqual({
      doc_count: 8,
      s: { value: 38 },
    });
  });

  it('reads the bounds of a range as the field is written', () => {
    const range = (field: string, bounds: JsonObject, options: JsonObject = {}) =>
      compute({ range: { field, ranges: [bounds], ...options } }) as {
        readonly buckets: readonly JsonObject[];
      };
    const month = range('day', { from: '2024-02-01', to: '2024-02-01||+1M' }).buckets[0];
    expect(month).toMatchObject({ from: ms('2024-02-01'), to: ms('2024-03-01'), doc_count: 2 });
    expect(range('day', { from: '2024' }, { format: 'yyyy' }).buckets[0]).toMatchObject({
      key: '2024-*',
      doc_count: 5,
    });
    expect(range('day', { from: ms('2024-06-15') }).buckets[0]).toMatchObject({ doc_count: 1 });
    expect(range('on', { from: 'true' }).buckets[0]).toMatchObject({ from: 1, doc_count: 4 });
    expect(range('price', { from: ' 8' }).buckets[0]).toMatchObject({ doc_count: 2 });
    for (const [field, from] of [
      ['day', 'soon'],
      ['day', 1e17],
      ['on', '1'],
      ['price', '2024-01-01'],
      ['price', true],
      ['nowhere', 'now'],
    ] as const)
      expect(() => range(field, { from })).toThrow(/bound|expected a number/);
  });

  it('compares the bounds of a range as a field of few digits holds them', () => {
    const properties = { f: { type: 'float' }, h: { type: 'half_float' } };
    const things = new TestCollection({ properties }).put({ a: { f: 0.7, h: 0.1 } });
    for (const [field, bound] of [
      ['f', 0.7],
      ['h', 0.1],
    ] as const) {
      const ranges = [{ from: bound }, { to: bound }];
      const found = things.search({ size: 0, aggs: { x: { range: { field, ranges } } } });
      expect(found.aggregations).toMatchObject({
        x: {
          buckets: [
            { to: bound, doc_count: 0 },
            { from: bound, doc_count: 1 },
          ],
        },
      });
    }
    const beyond = { range: { field: 'h', ranges: [{ to: 70_000 }] } };
    expect(() => things.search({ size: 0, aggs: { x: beyond } })).toThrow(/bound of such values/);
  });

  it('pages by a histogram of dates, shown as the field writes them', () => {
    const sources = [{ day: { histogram: { field: 'day', interval: 86_400_000, order: 'desc' } } }];
    const page = (options: JsonObject) => compute({ composite: { sources, ...options } });
    const first = { key: { day: '2024-06-15T00:00:00.000Z' }, doc_count: 1 };
    expect(page({ size: 1 })).toEqual({ after_key: first.key, buckets: [first] });
    expect(page({ size: 1, after: { day: '2024-06-15' } })).toMatchObject({
      buckets: [{ key: { day: '2024-03-01T00:00:00.000Z' } }],
    });
    expect(page({ after: { day: ms('2023-12-31') } })).toEqual({ buckets: [] });
    expect(() => page({ after: { day: 'now' } })).toThrow(/Invalid date/);
  });

  it('names what it refuses', () => {
    expect(() => compute({ histogram: { field: 'price', interval: 0.0001 } })).toThrow(/65536 buckets/);
    expect(() => compute({ geohash_grid: { field: 'tag' } })).toThrow(/"tag" of type keyword/);
    const sources = [{ day: { date_histogram: { field: 'nowhere', fixed_interval: '1d' } } }];
    expect(compute({ composite: { sources, after: { day: '5' } } })).toEqual({ buckets: [] });
    expect(() => compute({ composite: { sources, after: { day: ' ' } } })).toThrow(/a number/);
    expect(() => compute({ composite: { sources, after: { day: '9,1' } } })).toThrow(
      /day\.date_histogram\.after: expected a number, not "9,1"/,
    );
  });

  it('takes names such as __proto__ as data', () => {
    const { aggregations } = shop.search({
      size: 0,
      aggs: JSON.parse('{"__proto__": {"max": {"field": "qty"}}}') as JsonObject,
    });
    expect(Object.getOwnPropertyDescriptor(aggregations, '__proto__')?.value).toEqual({
      value: 12,
    });
  });
});

describe('metric aggregations', () => {
  it.each([
    [{ min: { field: 'price' } }, { value: 1.5 }],
    [{ max: { field: 'day' } }, { value: ms('2024-06-15'), value_as_string: '2024-06-15T00:00:00.000Z' }],
    [{ avg: { field: 'price' } }, { value: 4.5 }],
    [{ avg: { field: 'price', missing: 0.5 } }, { value: 4 }],
    [{ sum: { field: 'qty' } }, { value: 38 }],
    [{ value_count: { field: 'tag' } }, { value: 11 }],
    [{ stats: { field: 'price' } }, { count: 7, min: 1.5, max: 10, avg: 4.5, sum: 31.5 }],
    [{ cardinality: { field: 'tag' } }, { value: 7 }],
    [{ cardinality: { field: 'on' } }, { value: 2 }],
    [{ percentiles: { field: 'price', percents: [50, 75] } }, { values: { '50.0': 3.25, '75.0': 6 } }],
    [{ max: { field: 'nowhere' } }, { value: null }],
    [
      { max: { field: 'qty' }, meta: { unit: 'pieces' } },
      { meta: { unit: 'pieces' }, value: 12 },
    ],
    [{ sum: { field: 'price', format: '#,##0.00' } }, { value: 31.5, value_as_string: '31.50' }],
  ] as [JsonObject, unknown][])('%j', (aggregation, expected) => {
    expect(compute(aggregation)).toEqual(expected);
  });

  it('extended_stats', () => {
    const variance = 328 / 7 - (38 / 7) ** 2;
    const result = compute({ extended_stats: { field: 'qty' } }) as Record<string, number>;
    expect(result).toMatchObject({ count: 7, sum: 38, sum_of_squares: 328 });
    expect(result['variance']).toBeCloseTo(variance, 9);
    expect(result['variance_sampling']).toBeCloseTo((variance * 7) / 6, 9);
    expect(compute({ extended_stats: { field: 'nowhere' } })).toMatchObject({
      count: 0,
      sum: 0,
      variance: null,
    });
  });

  it('top_hits carries hits as the service shows them', () => {
    expect(
      compute({
        terms: { field: 'tag', include: ['fruit'] },
        aggs: { best: { top_hits: { size: 1, sort: [{ price: 'desc' }], _source: ['price'] } } },
      }),
    ).toMatchObject({
      buckets: [
        {
          key: 'fruit',
          best: {
            hits: {
              total: { value: 2, relation: 'eq' },
              max_score: null,
              hits: [{ _index: 'shop', _type: 'things', _id: 'd', _source: { price: 2 }, sort: [2] }],
            },
          },
        },
      ],
    });
    expect(compute({ top_hits: { size: 1 } }, { query: { term: { tag: 'red' } } })).toMatchObject({
      hits: { hits: [{ _id: 'a' }] },
    });
  });
});
