/* Results of Elasticsearch 8.14 that the embedded engine must return too. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { TestCollection } from './TestCollection.test.support.js';

describe('answers as Elasticsearch gives them', () => {
  let things: TestCollection;
  beforeAll(() => {
    things = new TestCollection({
      properties: {
        t: { type: 'text' },
        k: { type: 'keyword', normalizer: 'lowercase' },
        n: { type: 'long' },
        f: { type: 'float' },
        p: { type: 'geo_point' },
        flag: { type: 'boolean' },
        ip: { type: 'ip' },
        words: { type: 'text', analyzer: 'english', fielddata: true },
        d: { type: 'date' },
        norms: { type: 'keyword', norms: true },
        docs: { type: 'text', index_options: 'docs' },
        none: { type: 'keyword' },
        faces: { type: 'text' },
        huge: { type: 'double' },
        items: {
          type: 'nested',
          include_in_root: true,
          properties: {
            n: { type: 'long' },
            parts: { type: 'nested', properties: { m: { type: 'long' } } },
          },
        },
      },
    }).put({
      a: {
        t: 'of mill',
        k: 'İX',
        n: 6,
        f: 3e38,
        p: 's00',
        flag: false,
        d: '2024-01-01',
        ip: '10.0.0.1',
        huge: 1e300,
        words: 'and',
        norms: ['abd', '10'],
        docs: 'mill mill mill old',
        items: [{ n: 1, parts: [{ m: 5 }] }],
      },
      b: {
        t: 'old river',
        faces: '\u{1f469}\u200d\u{1f469}\u200d\u{1f467} runs',
        k: 'b',
        n: -2,
        flag: true,
        norms: 'abd',
        docs: 'mill old',
      },
    });
  });
  const ids = (query: JsonObject) => things.ids({ query }).sort();
  const sorts = (sort: JsonObject) => things.search({ sort: [sort] }).hits.map((hit) => hit.sort?.[0]);

  const aggregate = (aggregation: JsonObject) =>
    things.search({ size: 0, aggs: { a: aggregation } }).aggregations?.['a'];

  it('takes booleans for numbers in decay functions', () => {
    const query = { function_score: { gauss: { flag: { origin: 0, scale: 1 } } } };
    const scores = things.search({ query }).hits.map(({ id, score }) => [id, score]);
    expect(scores).toEqual([
      ['a', 1],
      ['b', 0.5],
    ]);
  });
  it('takes only values of its source in `after`', () => {
    const keys = (source: JsonObject, s: unknown) => {
      const composite = { sources: [{ s: source }], after: { s } } as JsonObject;
      const { buckets } = aggregate({ composite }) as { buckets: { key: { s: unknown } }[] };
      return buckets.map(({ key }) => key.s);
    };
    expect(keys({ terms: { field: 'f' } }, 2.5)).toEqual([Math.fround(3e38)]);
    const years = { field: 'd', calendar_interval: 'year', format: 'yyyy-MM-dd' };
    expect(keys({ date_histogram: years }, '2024-01-01||-1d')).toEqual(['2024-01-01']);
    for (const s of [true, 'false', '0x2', 'now'])
      expect(() => keys({ histogram: { field: 'n', interval: 1 } }, s)).toThrow(/expected a number/);
    expect(() => keys({ date_histogram: years }, 'now-1d')).toThrow(/Invalid date/);
  });
  it('counts a missing keyword as it was given, next to those that the normalizer wrote', () => {
    const count = (missing: string) => aggregate({ cardinality: { field: 'none', missing } });
    expect(count('B')).toEqual({ value: 1 });
    const aggs = { a: { cardinality: { field: 'k', missing: 'B' } } };
    const more = new TestCollection({
      properties: { k: { type: 'keyword', normalizer: 'lowercase' } },
    }).put({ a: { k: 'B' }, b: {} });
    expect(more.search({ size: 0, aggs }).aggregations).toEqual({ a: { value: 2 } });
  });
  it('refuses keys that a next page could not begin with', () => {
    const days = { field: 'd', calendar_interval: 'day', format: 'yyyy-MM-dd', offset: '+6h' };
    const pages = { composite: { sources: [{ s: { date_histogram: days } }] } };
    expect(() => aggregate(pages)).toThrow(/Format yyyy-MM-dd at .* writes 2023-12-31T06/);
  });
  it('scores no more than the largest score, however large a factor or a boost is', () => {
    const factor = { field: 'nowhere', missing: 0, modifier: 'reciprocal' };
    const scored = (more: JsonObject) =>
      things.search({ query: { function_score: { field_value_factor: factor, ...more } } });
    expect(scored({})).toMatchObject({ maxScore: 3.4028235e38 });
    expect(scored({ max_boost: 3 }).maxScore).toBe(3);
    expect(scored({ boost: 2 }).hits[0]?.score).toBe(3.4028235e38);
  });
  it('counts a string without a term as missing', () => {
    expect(aggregate({ missing: { field: 'words' } })).toEqual({ doc_count: 2 });
  });
  it('excludes addresses however they are written', () => {
    const buckets = { terms: { field: 'ip', exclude: ['::ffff:10.0.0.1'] } };
    expect(aggregate(buckets)).toMatchObject({ buckets: [] });
  });
  it('goes on after a string as it is given, whatever the normalizer', () => {
    const sources = [{ k: { terms: { field: 'k' } } }];
    const keys = (k: string) =>
      (aggregate({ composite: { sources, after: { k } } }) as { buckets: { key: JsonObject }[] }).buckets.map(
        ({ key }) => key['k'],
      );
    expect(keys('B')[0]).toBe('b');
    expect(keys('b')).not.toContain('b');
  });
  it('writes what is larger than any number as a string', () => {
    const stats = aggregate({ extended_stats: { field: 'huge' } });
    expect(stats).toMatchObject({ sum: 1e300, sum_of_squares: 'Infinity' });
  });
  it('shows no terms in ranges of a field that is not mapped, and all in those of one without values', () => {
    const terms = { terms: { field: 'norms', min_doc_count: 0 } };
    const shown = (field: string) =>
      things.search({ size: 0, aggs: { r: { range: { field, ranges: [{ from: 1e9 }] }, aggs: { t: terms } } } })
        .aggregations;
    expect(shown('nowhere')).toMatchObject({ r: { buckets: [{ t: { buckets: [] } }] } });
    expect(shown('n')).toMatchObject({ r: { buckets: [{ t: { buckets: [{}, {}] } }] } });
  });
  it('rounds the bounds of dates without their offset', () => {
    const shown = (min: string) => {
      const weeks = { field: 'd', calendar_interval: '1w', offset: '1d', hard_bounds: { min } };
      return (aggregate({ date_histogram: weeks }) as { buckets: object[] }).buckets.length;
    };
    // With this offset, Monday 2024-01-01 is in the week that starts on Tuesday 2023-12-26.
    expect([shown('2023-12-31'), shown('2024-01-01')]).toEqual([1, 0]);
  });
  it('puts documents without a point into the cell of what stands for it', () => {
    const cells = (field: string) => aggregate({ geohash_grid: { field, precision: 2, missing: 5 } });
    const own = { key: 's0', doc_count: 1 };
    expect(cells('p')).toEqual({ buckets: [own, { key: '50', doc_count: 1 }] });
    expect(cells('nowhere')).toEqual({ buckets: [{ key: '50', doc_count: 2 }] });
    const grid = { geohash_grid: { field: 'nowhere', missing: 'x,y' } };
    expect(() => aggregate(grid)).toThrow(/must be a point/);
  });

  it('finds no document without a value where something stands for it, which has to be one', () => {
    expect(aggregate({ missing: { field: 'ip', missing: '::1' } })).toEqual({ doc_count: 0 });
    expect(() => aggregate({ missing: { field: 'ip', missing: 'x' } })).toThrow(/ip/);
  });

  it('reads what stands for missing dates in the time zone of the buckets', () => {
    const days = { field: 'd', fixed_interval: '1d', time_zone: '-05:30', missing: '2024-08' };
    const { buckets } = aggregate({ date_histogram: { ...days, min_doc_count: 1 } }) as { buckets: JsonObject[] };
    expect(buckets.at(-1)).toMatchObject({ key_as_string: '2024-08-01T00:00:00.000-05:30' });
  });
  it('takes the south-west corner for a geohash', () => {
    expect(ids({ geo_distance: { distance: '1m', p: { lat: 0, lon: 0 } } })).toEqual(['a']);
  });
  it('puts documents without a point first in descending order of distance', () => {
    const found = things.ids({ sort: [{ _geo_distance: { p: '1,1', order: 'desc' } }] });
    expect(found).toEqual(['b', 'a']);
  });
  it('shows floats in their shortest form in sort values', () => {
    expect(sorts({ f: 'desc' })[0]).toBe(3e38);
  });
  it('reads values as the numeric type of a sort asks', () => {
    expect(sorts({ n: { numeric_type: 'double', order: 'asc' } })).toEqual([-2, 6]);
  });
  it('gives terms that no hit has a bucket under min_doc_count 0, and no number between them', () => {
    const aggs = { a: { terms: { field: 'n', min_doc_count: 0 } } };
    const found = things.search({ query: { match: { t: 'mill' } }, aggs });
    expect(found.aggregations).toMatchObject({
      a: {
        buckets: [
          { key: 6, doc_count: 1 },
          { key: -2, doc_count: 0 },
        ],
      },
    });
  });
  it('finds terms of a fuzzy query that are all edits', () => {
    expect(ids({ fuzzy: { t: { value: 'か', fuzziness: 2 } } })).toEqual(['a']);
  });
  it('treats the last word of match_bool_prefix as whole where something follows it', () => {
    const found = (query: string) => ids({ match_bool_prefix: { t: query } });
    expect([found('mil'), found('mil '), found('mill ')]).toEqual([['a'], [], ['a']]);
  });
  it('lower-cases keywords one letter to one', () => {
    expect(ids({ term: { k: 'ix' } })).toEqual(['a']);
  });
  it('refuses what does not fit the mapping even where nothing is found', () => {
    expect(() => things.search({ query: { match_none: {} }, aggs: { a: { sum: { field: 't' } } } })).toThrow(
      /cannot be sorted or aggregated/,
    );
  });
  it('cuts the value for missing ones where whole numbers are sorted, mapped or not', () => {
    expect(sorts({ nowhere: { unmapped_type: 'date', missing: 2.25 } })).toEqual([2, 2]);
    expect(sorts({ nowhere: { unmapped_type: 'double', missing: 2.25 } })).toEqual([2.25, 2.25]);
  });
  it('writes the replacement for an unmapped date in the format asked for', () => {
    const years = { calendar_interval: 'year', missing: '2020', format: 'yyyy' };
    const buckets = aggregate({ date_histogram: { field: 'nowhere', ...years } });
    expect(buckets).toMatchObject({ buckets: [{ key_as_string: '2020', doc_count: 2 }] });
  });
  it.each([
    ['avg', 'desc', ['b', 'ix']],
    ['avg', 'asc', ['ix', 'b']],
    ['min', 'desc', ['b', 'ix']],
    ['max', 'desc', ['ix', 'b']],
    ['max', 'asc', ['b', 'ix']],
    ['stats.max', 'asc', ['b', 'ix']],
    ['percentiles.50', 'desc', ['b', 'ix']],
  ])('orders a bucket without values by %s %s as its computation starts', (path, order, keys) => {
    const [kind = '', value] = path.split('.');
    const terms = { field: 'k', order: { [value === undefined ? 'm' : `m.${value}`]: order } };
    const aggs = { a: { terms, aggs: { m: { [kind]: { field: 'f' } } } } };
    const { buckets } = things.search({ size: 0, aggs }).aggregations?.['a'] as {
      buckets: { key: string }[];
    };
    expect(buckets.map(({ key }) => key)).toEqual(keys);
  });
  it('rounds hard_bounds down to the beginning of a bucket', () => {
    const bucketCount = (max: string) => {
      const days = { field: 'd', calendar_interval: 'month', hard_bounds: { max } };
      const { aggregations } = things.search({ size: 0, aggs: { a: { date_histogram: days } } });
      return (aggregations?.['a'] as { buckets: unknown[] }).buckets.length;
    };
    expect([bucketCount('2024-01-20'), bucketCount('2024-02-01')]).toEqual([0, 1]);
  });
  it('compares hard_bounds of a histogram with keys without the offset', () => {
    const numbers = new TestCollection({ properties: { v: { type: 'double' } } });
    const values = [-3, -0.5, 0, 0.5, 0.99, 1, 1.5, 2, 3.7, 5];
    numbers.put(Object.fromEntries(values.map((v, n) => [`v${n}`, { v }])));
    const keysOf = (histogram: JsonObject) => {
      const { aggregations } = numbers.search({ size: 0, aggs: { a: { histogram: { field: 'v', ...histogram } } } });
      const { buckets } = aggregations?.['a'] as unknown as { buckets: { key: number; doc_count: number }[] };
      return buckets.map(({ key, doc_count: count }) => [key, count]);
    };
    expect(keysOf({ interval: 2, offset: 1, hard_bounds: { min: 0, max: 3 } })).toEqual([
      [1, 3],
      [3, 1],
    ]);
    expect(keysOf({ interval: 2, offset: 0.5, hard_bounds: { min: 0.5, max: 4.5 } })).toEqual([
      [2.5, 1],
      [4.5, 1],
    ]);
    expect(keysOf({ interval: 2, hard_bounds: { min: 0.5, max: 4 } })).toEqual([
      [2, 2],
      [4, 1],
    ]);
  });
  it('scores a function_score of one function by it alone, and by nothing where its weight is 0', () => {
    const score = (functionScore: JsonObject) => things.search({ query: { function_score: functionScore } }).maxScore;
    expect(score({ weight: 2.5, score_mode: 'avg' })).toBe(2.5);
    const none = { weight: 0, filter: { match_none: {} } };
    expect(score({ functions: [{ weight: 0, filter: { term: { n: 6 } } }, none], score_mode: 'sum' })).toBe(1);
    expect(score({ boost_mode: 'replace', boost: 3 })).toBe(3);
  });
  it('scores keywords with norms by how many terms there are', () => {
    const { hits } = things.search({ query: { term: { norms: 'abd' } } });
    expect(hits.map(({ id }) => id)).toEqual(['b', 'a']);
    expect(hits[0]?.score).toBeCloseTo(0.21110919, 6);
    expect(hits[1]?.score).toBeCloseTo(0.160443, 6);
  });
  it('counts each term of a text field once where it keeps no frequencies', () => {
    const { hits } = things.search({ query: { match: { docs: 'mill' } } });
    expect(new Set(hits.map(({ score }) => score)).size).toBe(1);
  });
  it('sends a string through the analyzer of a query on fields of any type', () => {
    const match = (field: string, query: string, more: JsonObject = {}) =>
      ids({ match: { [field]: { query, analyzer: 'standard', ...more } } });
    expect(match('n', '6 x', { lenient: true })).toEqual(['a']);
    expect(match('n', '-2')).toEqual([]);
    expect(match('k', 'B!')).toEqual(['b']);
    expect(match('k', 'c?', { fuzziness: 1 })).toEqual(['b']);
  });
  it('passes over values that whole numbers can not have in a list of terms', () => {
    expect(ids({ terms: { n: [3.7, 6] } })).toEqual(['a']);
  });
  it('searches after a term that no document has on the right side of what stands for missing ones', () => {
    const after = (value: string) =>
      things.ids({ sort: [{ none: { missing: 'm' } }, '_id'], search_after: [value, 'a'] });
    expect([after('k'), after('m'), after('p')]).toEqual([['a', 'b'], ['b'], []]);
  });
  it('shows inner hits of a post_filter, and none of what is nested deeper without those around it', () => {
    const nested = { path: 'items', query: { match_all: {} }, inner_hits: {} };
    const filtered = things.search({ post_filter: { nested } }).hits[0];
    expect(filtered?.innerHits).toHaveProperty('items');
    const parts = { path: 'items.parts', query: { match_all: {} }, inner_hits: {} };
    const outer = { path: 'items', query: { nested: parts } };
    expect(things.search({ query: { nested: outer } }).hits[0]).not.toHaveProperty('innerHits');
  });
  it('includes in the document what is around its values, not what is nested deeper', () => {
    const counts = (field: string) => things.search({ size: 0, aggs: { a: { value_count: { field } } } }).aggregations;
    expect(counts('items.n')).toEqual({ a: { value: 1 } });
    expect(counts('items.parts.m')).toEqual({ a: { value: 0 } });
  });
  it('finds numbers by match_bool_prefix as they are', () => {
    expect(ids({ match_bool_prefix: { n: '6' } })).toEqual(['a']);
  });
  it('compares fuzzy words and regular expressions as a normalizer leaves them', () => {
    expect(ids({ fuzzy: { k: { value: 'IY', fuzziness: 1 } } })).toEqual(['a']);
    expect(ids({ regexp: { k: 'I.' } })).toEqual(['a']);
  });
  it('knows that a field exists which is only stored, but no text', () => {
    const kept = { index: false, doc_values: false, store: true };
    const fields: JsonObject = {
      by: { type: 'byte', ...kept },
      k: { type: 'keyword', ...kept },
      d: { type: 'date', ...kept },
      bo: { type: 'boolean', ...kept },
      ip: { type: 'ip', ...kept },
      g: { type: 'geo_point', ...kept },
      t: { type: 'text', index: false, store: true },
      n: { type: 'long', index: false, doc_values: false },
      bi: { type: 'binary', store: true },
      bn: { type: 'binary' },
    };
    const stored = new TestCollection({ properties: fields }).put({
      a: { by: 1, k: 'a', d: '2024-01-01', bo: true, ip: '1.2.3.4', g: [1, 2], t: 'b', n: 5, bi: 'AAEC', bn: 'AAEC' },
    });
    const found = Object.keys(fields).filter((field) => stored.search({ query: { exists: { field } } }).total > 0);
    expect(found).toEqual(['by', 'k', 'd', 'bo', 'ip', 'g', 'bi']);
  });
});
