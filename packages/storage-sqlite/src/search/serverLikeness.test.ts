/* Points that the differential test with Elasticsearch found, each as the server answers it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
      },
    }).put({
      a: { t: 'of mill', k: 'İX', n: 6, f: 3e38, p: 's00', flag: false },
      b: { t: 'old river', k: 'b', n: -2, flag: true },
    });
  });
  afterAll(() => things.close());
  const ids = (query: JsonObject) => things.ids({ query }).sort();
  const sorts = (sort: JsonObject) =>
    things.search({ sort: [sort] }).hits.map((hit) => hit.sort?.[0]);

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
  it('finds terms of a fuzzy query that are all edits, and scores them 0', () => {
    const { hits } = things.search({ query: { fuzzy: { t: { value: 'か', fuzziness: 2 } } } });
    expect(hits.map(({ id, score }) => [id, score])).toEqual([['a', 0]]);
  });
  it('treats the last word of match_bool_prefix as whole where something follows it', () => {
    const score = (query: string) =>
      things.search({ query: { match_bool_prefix: { t: query } } }).hits[0]?.score;
    expect(score('mil')).toBe(1);
    expect(score('mill')).toBe(1);
    expect(score('mill ')).not.toBe(1);
  });
  it('lower-cases keywords one letter to one', () => {
    expect(ids({ term: { k: 'ix' } })).toEqual(['a']);
  });
  it('hands the boost of a bool down to the query of a function_score, not to its functions', () => {
    const inner = { function_score: { query: { match_all: {} }, weight: 1, boost_mode: 'min' } };
    const found = things.search({ query: { bool: { should: [inner], boost: 2 } } });
    expect(found.maxScore).toBe(1);
  });
  it('refuses what does not fit the mapping even where nothing is found', () => {
    expect(() =>
      things.search({ query: { match_none: {} }, aggs: { a: { sum: { field: 't' } } } }),
    ).toThrow(/cannot be sorted or aggregated/);
  });
  it('shows booleans as such in stats', () => {
    const found = things.search({ size: 0, aggs: { a: { stats: { field: 'flag' } } } });
    expect(found.aggregations).toMatchObject({ a: { min_as_string: false, max_as_string: true } });
  });
});
