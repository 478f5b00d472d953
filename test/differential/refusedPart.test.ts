import { describe, expect, it } from 'vitest';
import { refusedPart } from './refusedPart.js';

describe('refusedPart', () => {
  it('is the innermost query that a refusal names', () => {
    const term = { term: { n: 'x' } };
    const request = {
      query: { bool: { must: [{ match_none: {} }, { bool: { filter: [term] } }] } },
    };
    const reason =
      'Invalid value for "n" at query.bool.must[1].bool.filter[0].term: expected a number';
    expect(refusedPart(request, reason)).toEqual({ query: term });
  });
  it('is the sort of top_hits, without the filter of nested objects', () => {
    const sort = [{ n: { missing: false, nested: { path: 'o', filter: { match_all: {} } } } }];
    const request = { aggs: { a: { filter: {}, aggs: { b: { top_hits: { sort } } } } } };
    const reason = 'Invalid "missing" at aggs.a.aggs.b.top_hits.sort[0].n: expected a number';
    expect(refusedPart(request, reason)).toEqual({
      sort: [{ n: { missing: false, nested: { path: 'o' } } }],
    });
  });
  it('is all of the aggregations where they are refused otherwise', () => {
    const aggs = { a: { top_hits: { highlight: 1 } } };
    expect(refusedPart({ aggs }, 'highlight at aggs.a.top_hits.highlight must be')).toEqual({
      size: 0,
      aggs,
    });
  });
});
