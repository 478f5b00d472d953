import type { JsonObject, JsonValue } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { TestCollection } from './TestCollection.test.support.js';

const mapping: JsonObject = {
  properties: {
    name: { type: 'text', fields: { raw: { type: 'keyword' } } },
    tag: { type: 'keyword' },
    price: { type: 'double' },
    qty: { type: 'integer' },
    on: { type: 'boolean' },
    day: { type: 'date' },
    loc: { type: 'geo_point' },
    ip: { type: 'ip' },
    note: { type: 'text', analyzer: 'english' },
    secret: { type: 'keyword', index: false },
    author: { properties: { born: { type: 'integer' } } },
    code: { type: 'keyword', ignore_above: 3, null_value: 'nil' },
  },
};

const documents: Record<string, JsonObject> = {
  apple: {
    name: 'Red apple',
    tag: ['fruit', 'red'],
    price: 1.5,
    qty: 10,
    on: true,
    day: '2024-01-15',
    loc: { lat: 48.8566, lon: 2.3522 },
    ip: '192.168.1.10',
    note: 'The apples were shining',
    code: 'abc',
  },
  pie: {
    name: 'Green apple pie',
    tag: ['dessert'],
    price: 4,
    qty: 3,
    on: true,
    day: '2024-02-10T08:30:00Z',
    loc: '51.5074,-0.1278',
    ip: '192.168.2.20',
    note: 'Baking makes it shine',
    code: 'abcd',
  },
  banana: {
    name: 'Banana bread',
    tag: ['dessert', 'bread'],
    price: 3.25,
    qty: 0,
    on: false,
    day: '2024-02-28',
    loc: [13.405, 52.52],
    ip: '10.0.0.1',
    note: 'running cakes',
    code: null,
  },
  juice: {
    name: 'Apple juice',
    tag: ['drink', 'fruit'],
    price: 2,
    qty: 7,
    on: true,
    day: '2023-12-31T23:59:59Z',
    loc: { lat: 40.7128, lon: -74.006 },
    ip: '10.0.0.255',
    author: { born: 1970 },
  },
  rye: {
    name: 'Dark rye bread',
    tag: ['bread'],
    price: 2.75,
    qty: 12,
    on: false,
    day: '2024-03-01',
    loc: { lat: 45.764, lon: 4.8357 },
    ip: '2001:db8::1',
  },
  fox: {
    name: 'The quick brown fox',
    tag: ['animal', 'story'],
    price: 10,
    qty: 1,
    on: true,
    day: '2025-06-15',
    loc: { lat: -33.8688, lon: 151.2093 },
    note: 'He ran and runs',
  },
  rabbit: { name: 'Quick brown rabbits run', tag: ['animal'], price: 8, qty: null, on: false },
  blank: { qty: 5, tag: [] },
};
const all = Object.keys(documents).sort();
const but = (...names: string[]) => all.filter((name) => !names.includes(name));

const shop = new TestCollection(mapping).put(documents);

const paris = { lat: 48.8566, lon: 2.3522 };

describe('queries (SEARCH-20, SEARCH-21)', () => {
  const table: [string, JsonObject, string[]][] = [
    ['match_all', { match_all: {} }, all],
    ['match_none', { match_none: {} }, []],
    ['term on a keyword', { term: { tag: 'bread' } }, ['banana', 'rye']],
    ['term on a text field is not analysed', { term: { name: 'Apple' } }, []],
    ['term on a text field', { term: { name: 'apple' } }, ['apple', 'juice', 'pie']],
    ['term on a multi-field', { term: { 'name.raw': 'Apple juice' } }, ['juice']],
    ['term with case_insensitive', { term: { tag: { value: 'RED', case_insensitive: true } } }, ['apple']],
    ['term on a boolean', { term: { on: 'true' } }, ['apple', 'fox', 'juice', 'pie']],
    ['term on a number', { term: { qty: '7' } }, ['juice']],
    ['a fraction on an integer field', { term: { qty: 7.5 } }, []],
    ['term on a date', { term: { day: '2024-01-15' } }, ['apple']],
    ['term on an ip', { term: { ip: '10.0.0.1' } }, ['banana']],
    ['term on an ip takes CIDR', { term: { ip: '192.168.0.0/16' } }, ['apple', 'pie']],
    ['term on _id', { term: { _id: 'fox' } }, ['fox']],
    ['terms on ip', { terms: { ip: ['10.0.0.0/24', '2001:db8::1'] } }, ['banana', 'juice', 'rye']],
    ['an unmapped field', { term: { nowhere: 'x' } }, []],
    ['terms', { terms: { tag: ['red', 'drink', 'nothing'] } }, ['apple', 'juice']],
    ['terms on a text field', { terms: { name: ['rye', 'fox'] } }, ['fox', 'rye']],
    ['terms on numbers', { terms: { qty: [0, 12] } }, ['banana', 'rye']],
    ['range', { range: { price: { gte: 2, lt: 4 } } }, ['banana', 'juice', 'rye']],
    ['range on an integer with fractions', { range: { qty: { gt: 0.5, lt: 3.5 } } }, ['fox', 'pie']],
    ['range on a keyword', { range: { tag: { gt: 'bread', lte: 'drink' } } }, ['banana', 'juice', 'pie']],
    ['range on dates', { range: { day: { gte: '2024-02-01', lt: '2024-03-01' } } }, ['banana', 'pie']],
    ['date rounding up', { range: { day: { lte: '2024-02-28||/M' } } }, ['apple', 'banana', 'juice', 'pie']],
    [
      'time_zone',
      { range: { day: { gte: '2024-01-01', time_zone: '+01:00' } } },
      ['apple', 'banana', 'fox', 'juice', 'pie', 'rye'],
    ],
    ['range on ip', { range: { ip: { gte: '10.0.0.0', lte: '10.0.0.255' } } }, ['banana', 'juice']],
    ['exists', { exists: { field: 'qty' } }, but('rabbit')],
    ['exists: an empty array', { exists: { field: 'tag' } }, but('blank')],
    ['exists: an object', { exists: { field: 'author' } }, ['juice']],
    ['exists: a pattern', { exists: { field: 'no*' } }, ['apple', 'banana', 'fox', 'pie']],
    ['exists: null_value and ignore_above', { exists: { field: 'code' } }, ['apple', 'banana']],
    ['null_value is searched', { term: { code: 'nil' } }, ['banana']],
    ['ids', { ids: { values: ['fox', 'nope', 'pie'] } }, ['fox', 'pie']],
    ['prefix', { prefix: { tag: 'dess' } }, ['banana', 'pie']],
    ['prefix, case-insensitive', { prefix: { tag: { value: 'DESS', case_insensitive: true } } }, ['banana', 'pie']],
    ['wildcard', { wildcard: { tag: 'd*t' } }, ['banana', 'pie']],
    ['wildcard on a text field', { wildcard: { name: { value: '*abb*' } } }, ['rabbit']],
    ['regexp', { regexp: { tag: 'f.*|story' } }, ['apple', 'fox', 'juice']],
    ['fuzzy', { fuzzy: { name: { value: 'aple' } } }, ['apple', 'juice', 'pie']],
    ['fuzzy with prefix_length', { fuzzy: { name: { value: 'opple', prefix_length: 1 } } }, []],
    ['match', { match: { name: 'apple bread' } }, ['apple', 'banana', 'juice', 'pie', 'rye']],
    ['match, all words', { match: { name: { query: 'PIE apple', operator: 'and' } } }, ['pie']],
    ['match, minimum', { match: { name: { query: 'quick brown fox apple', minimum_should_match: '75%' } } }, ['fox']],
    ['match, fuzzy', { match: { name: { query: 'bananna', fuzziness: 'AUTO' } } }, ['banana']],
    ['match stems', { match: { note: 'shine' } }, ['apple', 'pie']],
    ['match of stop words', { match: { note: 'the' } }, []],
    ['zero_terms_query', { match: { note: { query: 'the', zero_terms_query: 'all' } } }, all],
    ['match on a number', { match: { qty: '12' } }, ['rye']],
    ['match, lenient', { match: { qty: { query: 'many', lenient: true } } }, []],
    [
      'bool',
      {
        bool: {
          must: { match: { name: 'apple' } },
          filter: [{ range: { price: { gte: 2 } } }],
          must_not: [{ term: { tag: 'drink' } }],
        },
      },
      ['pie'],
    ],
    [
      'bool: should',
      { bool: { should: [{ term: { tag: 'bread' } }, { term: { tag: 'animal' } }] } },
      ['banana', 'fox', 'rabbit', 'rye'],
    ],
    [
      'bool: minimum 2',
      {
        bool: {
          should: [{ term: { tag: 'dessert' } }, { term: { tag: 'bread' } }, { term: { on: false } }],
          minimum_should_match: 2,
        },
      },
      ['banana', 'rye'],
    ],
    ['bool: must_not alone', { bool: { must_not: { exists: { field: 'price' } } } }, ['blank']],
    ['bool: empty', { bool: {} }, all],
    ['dis_max', { dis_max: { queries: [{ match: { name: 'rye' } }, { term: { tag: 'story' } }] } }, ['fox', 'rye']],
    [
      'boosting',
      {
        boosting: {
          positive: { match: { name: 'apple' } },
          negative: { term: { tag: 'drink' } },
          negative_boost: 0.2,
        },
      },
      ['apple', 'juice', 'pie'],
    ],
    ['geo_distance', { geo_distance: { distance: '350km', loc: paris } }, ['apple', 'pie']],
    [
      'geo_bounding_box',
      {
        geo_bounding_box: {
          loc: { top_left: { lat: 55, lon: -5 }, bottom_right: { lat: 45, lon: 14 } },
        },
      },
      ['apple', 'banana', 'pie', 'rye'],
    ],
  ];
  it.each(table)('%s', (_, query, expected) => {
    expect(shop.ids({ query }).sort()).toEqual(expected);
    expect(shop.count({ query })).toBe(expected.length);
  });

  it.each([
    [
      { sort: [{ qty: { order: 'asc', numeric_type: 'date_nanos' } }] },
      /date_nanos.* is not supported by the embedded engine yet/,
    ],
    [{ query: { bool: { must: [{ range: { price: { gte: 'cheap' } } }] } } }, /price/],
    [{ query: { wildcard: { qty: '1*' } } }, /qty/],
    [{ query: { geo_distance: { distance: '1km', tag: paris } } }, /needs a geo_point field; "tag" is keyword/],
    [{ query: { match: { secret: 'x' } } }, /not indexed/],
    [{ query: { match: { name: 'w '.repeat(1025) } } }, /1025 tokens, expected at most 1024/],
    [{ query: { prefix: { secret: 'x' } } }, /not indexed/],
    [{ query: { term: { secret: 'x' } } }, /not indexed/],
    [{ sort: ['nowhere'] }, /nowhere/],
    [{ sort: ['name'] }, /name/],
    [{ query: { regexp: { tag: '(' } } }, /Invalid regular expression/],
    [{ aggs: { x: { avg: { field: 'tag' } } } }, /tag/],
    [{ aggs: { x: { terms: { field: 'name' } } } }, /name/],
  ] as [JsonObject, RegExp][])('refuses %j', (body, message) => {
    expect(() => shop.search(body)).toThrow(message);
  });
});

describe('scores (SEARCH-90)', () => {
  const scores = (query: JsonObject, more: JsonObject = {}) =>
    new Map(shop.search({ query, ...more }).hits.map((hit) => [hit.id, hit.score]));
  const bm25 = (matches: number, documentCount: number, length: number, average: number, frequency = 1) =>
    (2.2 * Math.log(1 + (documentCount - matches + 0.5) / (matches + 0.5)) * frequency) /
    (frequency + 1.2 * (0.25 + (0.75 * length) / average));

  it('follow BM25', () => {
    expect(scores({ term: { 'name.raw': 'Red apple' } }).get('apple')).toBeCloseTo(bm25(1, 7, 1, 1), 5);
    expect(scores({ term: { tag: 'red' } }).get('apple')).toBeCloseTo(bm25(1, 7, 1, 11 / 7), 5);
    expect(scores({ match: { name: 'banana' } }).get('banana')).toBeCloseTo(bm25(1, 7, 2, 20 / 7), 5);
    expect(scores({ term: { on: true } }).get('fox')).toBeCloseTo(bm25(4, 7, 1, 1), 5);
    const rye = bm25(1, 7, 3, 20 / 7) + bm25(2, 7, 3, 20 / 7);
    expect(scores({ match: { name: 'rye bread' } }).get('rye')).toBeCloseTo(rye, 5);
  });

  it('are constant where the language says so', () => {
    expect(scores({ match_all: { boost: 2.2 } }).get('fox')).toBe(2.2);
    expect(scores({ term: { qty: 7 } }).get('juice')).toBe(1);
    expect(scores({ terms: { tag: ['red'] } }).get('apple')).toBe(1);
    expect(scores({ constant_score: { filter: { term: { tag: 'red' } }, boost: 2.5 } }).get('apple')).toBe(2.5);
    expect(scores({ bool: { filter: { term: { tag: 'red' } } } }).get('apple')).toBe(0);
    expect(scores({ bool: { must_not: { term: { tag: 'red' } } } }).get('fox')).toBe(0);
    expect(scores({ bool: {} }).get('fox')).toBe(1);
    expect(
      scores({
        bool: { should: [{ term: { qty: 7 } }, { exists: { field: 'qty' } }], boost: 3 },
      }).get('juice'),
    ).toBe(6);
    expect(
      scores({
        bool: { must: [{ term: { qty: 7 } }], should: [{ exists: { field: 'price' } }] },
      }).get('juice'),
    ).toBe(2);
  });

  it('of boosting and dis_max are combined as Elasticsearch does it', () => {
    const boosting = {
      positive: { match_all: {} },
      negative: { term: { tag: 'red' } },
      negative_boost: 0.25,
    };
    expect(scores({ boosting }).get('apple')).toBe(0.25);
    expect(scores({ boosting }).get('fox')).toBe(1);
    const queries = [{ term: { qty: { value: 7, boost: 4 } } }, { exists: { field: 'qty' } }];
    expect(scores({ dis_max: { queries, tie_breaker: 0.5 } }).get('juice')).toBe(4.5);
  });

  it('decide the order, equal ones by age', () => {
    expect(shop.ids({ query: { match: { name: 'apple' } } })).toEqual(['apple', 'juice', 'pie']);
    expect(shop.ids({})).toEqual(Object.keys(documents));
    expect(shop.search({ query: { match: { name: 'apple' } }, min_score: 0.9, size: 1 })).toMatchObject({ total: 2 });
  });

  it('are null under a sort, unless they are asked for', () => {
    expect(shop.search({ sort: ['price'], size: 1 })).toMatchObject({
      maxScore: null,
      hits: [{ id: 'apple', score: null, sort: [1.5] }],
    });
    expect(shop.search({ sort: ['price'], size: 1, track_scores: true })).toMatchObject({
      maxScore: 1,
      hits: [{ score: 1 }],
    });
    expect(shop.search({ sort: ['_score'], size: 1 })).toMatchObject({
      maxScore: 1,
      hits: [{ score: 1, sort: [1] }],
    });
    expect(shop.search({ query: { match_none: {} } })).toEqual({
      hits: [],
      total: 0,
      maxScore: null,
      timedOut: false,
    });
  });
});

describe('sort (SEARCH-60, SEARCH-61)', () => {
  const table: [string, JsonValue, string[]][] = [
    ['a name', 'price', ['apple', 'juice', 'rye', 'banana', 'pie', 'rabbit', 'fox', 'blank']],
    ['descending', [{ price: 'desc' }], ['fox', 'rabbit', 'pie', 'banana', 'rye', 'juice', 'apple', 'blank']],
    [
      'missing first',
      [{ price: { missing: '_first' } }],
      ['blank', 'apple', 'juice', 'rye', 'banana', 'pie', 'rabbit', 'fox'],
    ],
    [
      'missing as a value',
      [{ price: { missing: 3 } }],
      ['apple', 'juice', 'rye', 'blank', 'banana', 'pie', 'rabbit', 'fox'],
    ],
    [
      'two keys',
      [{ on: 'asc' }, { price: 'asc' }],
      ['rye', 'banana', 'rabbit', 'apple', 'juice', 'pie', 'fox', 'blank'],
    ],
    ['keyword', { 'name.raw': 'asc' }, ['juice', 'banana', 'rye', 'pie', 'rabbit', 'apple', 'fox', 'blank']],
    ['_id', [{ _id: 'desc' }], [...all].reverse()],
    ['_doc', ['_doc'], Object.keys(documents)],
    [
      'mode max',
      [{ tag: { mode: 'max' } }, '_id'],
      ['rabbit', 'rye', 'banana', 'pie', 'juice', 'apple', 'fox', 'blank'],
    ],
    ['unmapped', [{ nowhere: { unmapped_type: 'long' } }, '_id'], all],
    ['ip', ['ip', '_id'], ['banana', 'juice', 'apple', 'pie', 'rye', 'blank', 'fox', 'rabbit']],
    [
      'distance',
      [{ _geo_distance: { loc: paris, unit: 'km' } }, '_id'],
      ['apple', 'pie', 'rye', 'banana', 'juice', 'fox', 'blank', 'rabbit'],
    ],
  ];
  it.each(table)('%s', (_, sort, expected) => {
    expect(shop.ids({ sort })).toEqual(expected);
    const pages: string[] = [];
    const order: JsonValue[] = [...(Array.isArray(sort) ? (sort as JsonValue[]) : [sort]), '_id'];
    for (let after: readonly JsonValue[] | undefined; ;) {
      const { hits } = shop.search({ sort: order, size: 3, ...(after && { search_after: after }) });
      pages.push(...hits.map((hit) => hit.id));
      after = hits.at(-1)?.sort;
      if (hits.length < 3) break;
    }
    expect(pages).toEqual(shop.ids({ sort: order }));
  });

  it('shows the values that Elasticsearch shows', () => {
    const values = (sort: JsonValue, id: string) =>
      shop.search({ sort, size: 100 }).hits.find((hit) => hit.id === id)?.sort;
    expect(values(['price', 'qty', 'day', 'tag', 'on'], 'blank')).toEqual(['Infinity', 5, 2 ** 63, null, 2 ** 63]);
    expect(values([{ price: 'desc' }, { day: 'desc' }], 'blank')).toEqual(['-Infinity', -(2 ** 63)]);
    expect(values(['on', 'day', 'ip', 'tag'], 'apple')).toEqual([1, Date.parse('2024-01-15'), '192.168.1.10', 'fruit']);
    expect(values([{ day: { order: 'asc', format: 'yyyy-MM-dd' } }], 'pie')).toEqual(['2024-02-10']);
    const [km] = values([{ _geo_distance: { loc: paris, unit: 'km' } }], 'pie') as number[];
    expect(km).toBeCloseTo(343.6, 0);
    for (const order of ['asc', 'desc']) {
      expect(values([{ _geo_distance: { loc: paris, order } }], 'apple')).toEqual([0]);
    }
  });
});

describe('results', () => {
  it('page by from and size, and count everything', () => {
    const page = shop.search({ sort: ['price'], from: 2, size: 3 });
    expect(page.hits.map((hit) => hit.id)).toEqual(['rye', 'banana', 'pie']);
    expect(page.total).toBe(8);
    expect(shop.search({ size: 0 })).toMatchObject({ hits: [], total: 8, maxScore: null });
  });
  it('post_filter spares the aggregations', () => {
    const body = {
      post_filter: { term: { tag: 'drink' } },
      aggs: { all: { sum: { field: 'qty' } } },
    };
    expect(shop.search(body)).toMatchObject({
      total: 1,
      hits: [{ id: 'juice' }],
      aggregations: { all: { value: 38 } },
    });
  });
  it.each([
    [false, undefined],
    ['price', { price: 1.5 }],
    [['pri*', 'loc.lat'], { price: 1.5, loc: { lat: 48.8566 } }],
    [
      { includes: ['loc', 'qty'], excludes: ['*.lon'] },
      { qty: 10, loc: { lat: 48.8566 } },
    ],
    [{ excludes: ['n*', 'loc', 'ip', 'day', 'on', 'code', 'price', 'qty'] }, { tag: ['fruit', 'red'] }],
  ] as [JsonValue, JsonObject | undefined][])('_source %j', (_source, expected) => {
    expect(shop.search({ query: { ids: { values: ['apple'] } }, _source }).hits[0]?.source).toEqual(expected);
  });
});
