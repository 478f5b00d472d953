import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { TestCollection } from '../TestCollection.test.support.js';

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
  const ids = (options: JsonObject, name = 'multi_match') =>
    things.ids({ query: { [name]: { type: 'cross_fields', ...options } } }).sort();

  it('takes words from any of the fields that are analysed alike', () => {
    expect(ids({ query: 'ann lee', fields: ['first', 'last'], operator: 'and' })).toEqual(['a', 'b']);
  });

  it('does not take a field that names its analyzer for one that has the same by default', () => {
    expect(ids({ query: 'ray lee', fields: ['last', 'other'], operator: 'and' })).toEqual([]);
    const all = { query: 'ann lee', fields: ['last', 'other'], operator: 'and' };
    expect(ids({ ...all, analyzer: 'standard' })).toEqual(['b']);
  });

  it('counts a word as frequent in each field as it is where it is most frequent', () => {
    const query = { type: 'cross_fields', query: 'lee', fields: ['first', 'last'] };
    const { hits } = things.search({ query: { multi_match: query } });
    const [first, second] = hits.map(({ score }) => score);
    expect(first).toBeGreaterThan(0);
    expect(first).toBe(second);
  });

  it('compares numbers too', () => {
    expect(ids({ query: '5', fields: ['tag', 'n'] })).toEqual(['a']);
    expect(ids({ query: 'ann', fields: ['tag', 'n'], lenient: true })).toEqual(['a']);
    expect(() => ids({ query: 'ann', fields: ['tag', 'n'] })).toThrow(/expected a number/);
  });

  it('is a type of query_string as well', () => {
    const options = { query: 'ann lee', fields: ['first', 'last'], default_operator: 'and' };
    expect(ids(options, 'query_string')).toEqual(['a', 'b']);
  });
});
