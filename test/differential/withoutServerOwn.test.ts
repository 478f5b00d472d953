import { describe, expect, it } from 'vitest';
import {
  inOwnFields,
  inUnindexedFields,
  searchesAllFields,
  withMinimumInQuery,
} from './withoutServerOwn.js';

describe('requests without what the raw server adds', () => {
  it('knows a search over all fields at any depth', () => {
    const inside = (query: object) => ({ query: { bool: { must: [query] } } });
    expect(searchesAllFields(inside({ query_string: { query: 'a' } }))).toBe(true);
    expect(searchesAllFields(inside({ query_string: { query: 'a', fields: [] } }))).toBe(true);
    expect(searchesAllFields(inside({ multi_match: { query: 'a', fields: ['*'] } }))).toBe(true);
    expect(searchesAllFields(inside({ exists: { field: '*' } }))).toBe(true);
    expect(searchesAllFields(inside({ multi_match: { query: 'a', fields: ['b*'] } }))).toBe(false);
    expect(searchesAllFields(inside({ query_string: { query: 'a', default_field: 'b' } }))).toBe(false); // prettier-ignore
  });

  it("puts such searches to the engine's own fields alone", () => {
    const all = { query_string: { query: 'd1', default_field: '*' } };
    const own = { query_string: { query: 'd1', fields: ['_millrace.*'], lenient: true } };
    expect(inOwnFields({ query: { bool: { must_not: all } } })).toEqual({
      size: 100,
      query: { bool: { should: [own] } },
    });
    expect(inOwnFields({ query: { term: { a: 'b' } } })).toBeUndefined();
  });

  it('puts them to the fields that are not indexed alone', () => {
    const mapping = {
      properties: {
        a: { type: 'long', index: false },
        o: {
          properties: { b: { type: 'text', fields: { c: { type: 'keyword', index: false } } } },
        },
      },
    };
    const request = { query: { nested: { path: 'o', query: { query_string: { query: '7' } } } } };
    const alone = { query_string: { query: '7', fields: ['a', 'o.b.c'], lenient: true } };
    expect(inUnindexedFields(request, mapping)).toEqual({
      size: 100,
      query: { bool: { should: [alone] } },
    });
    const negated = { query_string: { query: '-{* TO 0] AND m?ll' } };
    expect(inUnindexedFields({ query: negated }, mapping)?.['query']).toMatchObject({
      bool: { should: [negated, { query_string: { query: '{* TO 0]' } }] },
    });
    const some = { multi_match: { query: '7', fields: ['o.*^2', 'd'] } };
    expect(inUnindexedFields({ post_filter: some }, mapping)?.['query']).toEqual({
      bool: { should: [{ multi_match: { query: '7', fields: ['o.b.c'], lenient: true } }] },
    });
    expect(inUnindexedFields({ query: { exists: { field: '*' } } }, mapping)).toBeUndefined();
    expect(inUnindexedFields(request, { properties: { a: { type: 'long' } } })).toBeUndefined();
  });

  it('makes a minimum a part of the query', () => {
    const [query, filter] = [{ term: { a: 'b' } }, { term: { c: 'd' } }];
    const scored = (inner: object) => ({
      query: { function_score: { query: inner, min_score: 2 } },
    });
    expect(withMinimumInQuery({ query, min_score: 2 })).toEqual(scored(query));
    expect(withMinimumInQuery({ query, filter, min_score: 2 })).toEqual(
      scored({ bool: { must: [query], filter: [filter] } }),
    );
    expect(withMinimumInQuery({ filter, min_score: 2 })).toEqual(
      scored({ constant_score: { filter } }),
    );
    expect(withMinimumInQuery({ query })).toBeUndefined();
  });
});
