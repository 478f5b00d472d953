/* Where Lucene hands boosts down, as Elasticsearch 8.14 answers each of these. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { TestCollection } from '../TestCollection.test.support.js';

describe('boosts of queries around a function_score', () => {
  let things: TestCollection;
  beforeAll(() => {
    things = new TestCollection({
      properties: { n: { type: 'integer' }, k: { type: 'keyword' } },
    });
    for (let n = 1; n <= 12; n += 1) things.put({ [`d${n}`]: { n, k: n % 2 === 1 ? 'x' : 'y' } });
  });
  afterAll(() => things.close());

  const odd = { term: { k: 'x' } };
  /** Scores n and half the boosts that reach it; those of at least 7. */
  const sum = (boost = 1): JsonObject => ({
    function_score: {
      query: { match_all: { boost: 0.5 } },
      functions: [{ field_value_factor: { field: 'n' } }],
      boost_mode: 'sum',
      min_score: 7,
      boost,
    },
  });
  const filtered = (query: JsonObject) =>
    things.search({ query: { bool: { filter: query } } }).total;

  it('multiply the score of boosting as a whole', () => {
    const best = (negative: JsonObject) =>
      things.search({
        query: { boosting: { positive: sum(), negative, negative_boost: 0.2, boost: 2 } },
      }).maxScore;
    expect(best({ term: { k: 'none' } })).toBe(25);
    expect(best({ match_all: {} })).toBe(5);
  });

  it.each([
    ['scores are asked for', {}, 11],
    ['no hits are asked for', { size: 0 }, 6],
    ['hits are sorted by a field', { sort: ['n'] }, 6],
  ])('reach a minimum or not where %s', (_, options, total) => {
    expect(things.search({ query: sum(10), ...options }).total).toBe(total);
    expect(things.search({ query: { bool: { must: [sum(10)] } }, ...options }).total).toBe(total);
  });

  it('reach a minimum in post_filter, not in the filter of an aggregation', () => {
    expect(things.search({ post_filter: sum(10) }).total).toBe(11);
    const aggs = { a: { filter: sum(10) } };
    expect(things.search({ size: 0, aggs }).aggregations).toEqual({ a: { doc_count: 6 } });
  });

  it('are stripped of clauses of filters, and kept in other queries there', () => {
    expect(filtered(sum(10))).toBe(6);
    expect(filtered({ bool: { must: [sum(10)], boost: 10 } })).toBe(6);
    expect(filtered({ dis_max: { queries: [sum(10)] } })).toBe(6);
    expect(filtered({ dis_max: { queries: [sum(10), { term: { n: 3 } }] } })).toBe(11);
    const all = { queries: [sum(10), { term: { n: 3 } }], tie_breaker: 1 };
    expect(filtered({ dis_max: all })).toBe(7);
    expect(filtered({ boosting: { positive: sum(10), negative: odd, negative_boost: 1 } })).toBe(
      11,
    );
    expect(filtered({ function_score: { query: sum(10) } })).toBe(11);
  });

  it('of a bool reach its filters, unless these are a query of their own', () => {
    const total = (clauses: JsonObject) =>
      things.search({ query: { bool: { ...clauses, boost: 10 } } }).total;
    expect(total({ filter: [sum()], must: [odd] })).toBe(5);
    expect(total({ filter: [sum(), odd] })).toBe(5);
    expect(total({ filter: [sum()] })).toBe(6);
    expect(total({ filter: [sum(), odd], must: [{ match_all: {} }] })).toBe(3);
    expect(total({ must_not: [sum()], must: [odd] })).toBe(1);
  });
});
