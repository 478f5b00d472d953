import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { TestCollection } from '../TestCollection.test.support.js';

/* Scores as Elasticsearch 8.14 gives them. */
describe('cross_fields', () => {
  let things: TestCollection;
  beforeAll(() => {
    things = new TestCollection({
      properties: {
        first: { type: 'text' },
        last: { type: 'text' },
        other: { type: 'text', analyzer: 'standard' },
        tag: { type: 'keyword' },
        n: { type: 'long' },
      },
    }).put({
      a: { first: 'ann', last: 'lee', tag: 'ann', n: 5 },
      b: { first: 'lee', last: 'ann', other: 'lee' },
      c: { first: 'ann', last: 'ray' },
    });
  });
  afterAll(() => things.close());
  const ids = (options: JsonObject, name = 'multi_match') =>
    things.ids({ query: { [name]: { type: 'cross_fields', ...options } } }).sort();

  it('takes words from any of the fields that are analysed alike', () => {
    expect(ids({ query: 'ann lee', fields: ['first', 'last'], operator: 'and' })).toEqual([
      'a',
      'b',
    ]);
  });

  it('does not take a field that names its analyzer for one that has the same by default', () => {
    expect(ids({ query: 'ray lee', fields: ['last', 'other'], operator: 'and' })).toEqual([]);
    const all = { query: 'ann lee', fields: ['last', 'other'], operator: 'and' };
    expect(ids({ ...all, analyzer: 'standard' })).toEqual(['b']);
  });

  it('brings the weight of a field that stands for itself where the text has no words', () => {
    const highest = (fields: readonly string[]) => {
      const empty = { query: '', type: 'cross_fields', zero_terms_query: 'all', boost: 2, fields };
      return things.search({ query: { multi_match: empty } }).maxScore;
    };
    expect(highest(['first^3'])).toBe(6);
    expect(highest(['first^3', 'last^2'])).toBe(2);
    expect(highest(['first^0.5', 'other^4'])).toBe(8);
  });

  it('counts a word about as frequent in each field as it is where it is most frequent', () => {
    const query = { type: 'cross_fields', query: 'lee', fields: ['first', 'last'] };
    const { hits } = things.search({ query: { multi_match: query } });
    expect(hits.map(({ score }) => score)).toEqual([0.98082924, 0.98082924]);
  });

  it('compares values that are no terms beside them', () => {
    expect(ids({ query: '5', fields: ['tag', 'n'] })).toEqual(['a']);
    expect(ids({ query: 'ann', fields: ['tag', 'n'], lenient: true })).toEqual(['a']);
    expect(() => ids({ query: 'ann', fields: ['tag', 'n'] })).toThrow(/expected a number/);
  });

  it('is a type of query_string as well', () => {
    const options = { query: 'ann lee', fields: ['first', 'last'], default_operator: 'and' };
    expect(ids(options, 'query_string')).toEqual(['a', 'b']);
  });
});
