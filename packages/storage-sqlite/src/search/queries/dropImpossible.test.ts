import type { JsonObject } from '@millrace/kernel';
import { afterAll, describe, expect, it } from 'vitest';
import { TestCollection } from '../TestCollection.test.support.js';

describe('a clause beside what a server knows to match nothing', () => {
  const things = new TestCollection({
    properties: {
      t: { type: 'text' },
      d: { type: 'date' },
      never: { type: 'date' },
      n: { type: 'integer' },
      items: { type: 'nested', properties: { k: { type: 'keyword' }, d: { type: 'date' } } },
    },
  }).put({
    a: { t: 'old mill', d: '2024-01-01', items: [{ k: 'x', d: '2024-01-01' }] },
    b: { d: '2025-01-01' },
  });
  afterAll(() => {
    things.close();
  });
  const none = { match_none: {} };
  const text = { term: { t: 'old' } };
  const dates = (range: JsonObject) => ({ range: { d: range } });
  /** Whether its words are marked where words are marked wherever they stand, and whether its inner hits are there. */
  const isSeen = (query: JsonObject) => {
    const nested = { path: 'items', query: { match_all: {} }, inner_hits: {} };
    const beside = { bool: { must: [text, query], filter: [{ nested }] } };
    const [hit] = things.search({
      query: { bool: { should: [{ match_all: {} }, beside] } },
      sort: ['_id'],
      highlight: { require_field_match: false, fields: { t: {} } },
    }).hits;
    return [hit?.highlight !== undefined, Object.keys(hit?.innerHits ?? {}).length > 0];
  };

  it.each<JsonObject>([
    none,
    { terms: { t: [] } },
    { terms: { nowhere: ['x'] } },
    { term: { nowhere: 'x' } },
    { prefix: { nowhere: 'x' } },
    { wildcard: { nowhere: 'x*' } },
    { fuzzy: { nowhere: 'x' } },
    { range: { nowhere: { gte: 1 } } },
    { exists: { field: 'no*' } },
    { ids: { values: [] } },
    dates({ gt: '2025-01-01' }),
    dates({ lt: '2024-01-01' }),
    { range: { never: {} } },
    { range: { 'items.d': { gt: '2024-01-01' } } },
    { bool: { must_not: [{ match_all: {} }] } },
    { bool: { must: [text], must_not: [{ bool: {} }] } },
    { bool: { should: [none, none], minimum_should_match: 0 } },
    { bool: { filter: [none], should: [text] } },
    { constant_score: { filter: none } },
    { function_score: { query: none } },
    { boosting: { positive: none, negative: text, negative_boost: 0.5 } },
    { query_string: { query: 'nowhere:a*' } },
  ])('is dropped: %j', (query) => {
    expect(isSeen(query)).toEqual([false, false]);
  });

  it('has no inner hits where it only weighs', () => {
    const nested = { path: 'items', query: { match_all: {} }, inner_hits: {} };
    const dropped = { bool: { must: [none, { nested }] } };
    for (const query of [
      { boosting: { positive: text, negative: dropped, negative_boost: 0.5 } },
      { function_score: { query: text, functions: [{ filter: dropped, weight: 2 }] } },
    ])
      expect(things.search({ query }).hits[0]?.innerHits).toBeUndefined();
  });

  it.each<JsonObject>([
    { match: { nowhere: 'x' } },
    { match: { t: '' } },
    { regexp: { nowhere: 'x' } },
    { term: { _id: 'x' } },
    { term: { n: 5 } },
    { exists: { field: 'never' } },
    dates({ gt: '2024-02-01', lt: '2024-03-01' }),
    dates({ gte: '2025-01-01', lte: '2024-01-01' }),
    { range: { n: { gte: 5, lte: 4 } } },
    { range: { 'items.d': { gte: '2024-01-01' } } },
    { dis_max: { queries: [none] } },
    { bool: { should: [text], minimum_should_match: 2 } },
    { bool: { must_not: [{ exists: { field: 't' } }] } },
    { nested: { path: 'items', query: none } },
  ])('is kept: %j', (query) => {
    expect(isSeen(query)).toEqual([true, true]);
  });
});
