import type { JsonObject } from '@millrace/language';
import { describe, expect, it } from 'vitest';
import { bindSearch, compileMapping, parseMapping, parseSearch } from '@millrace/query';
import { toSearchBody } from './toSearchBody.js';

const compiled = compileMapping(
  parseMapping({
    properties: {
      title: { type: 'text', fields: { raw: { type: 'keyword' } } },
      tag: { type: 'keyword' },
      n: { type: 'integer' },
      d: { type: 'double' },
      day: { type: 'date' },
      place: { type: 'geo_point' },
      parts: { type: 'nested', properties: { size: { type: 'integer' } } },
    },
  }),
);
const body = (given: JsonObject) => toSearchBody(bindSearch(parseSearch(given), compiled), compiled);
const query = (given: JsonObject) => body({ query: given })['query'];

describe('a search as the body for Elasticsearch', () => {
  it('asks for exact totals and for version and metadata of each document, within the time limit', () => {
    expect(body({})).toEqual({
      query: { match_all: {} },
      from: 0,
      size: 10,
      timeout: '30000ms',
      track_total_hits: true,
      _source: true,
      docvalue_fields: [
        '_millrace.v',
        { field: '_meta.createdAt', format: 'epoch_millis' },
        { field: '_meta.updatedAt', format: 'epoch_millis' },
        '_meta.author',
        '_meta.updater',
      ],
    });
  });

  it('writes term-level queries with their options', () => {
    expect(query({ term: { tag: { value: 'a', case_insensitive: true, boost: 2 } } })).toEqual({
      term: { tag: { value: 'a', case_insensitive: true, boost: 2 } },
    });
    expect(query({ range: { day: { gt: 'now-1d', lte: 'now', time_zone: '+01:00' } } })).toEqual({
      range: { day: { gt: 'now-1d', lte: 'now', time_zone: '+01:00' } },
    });
    expect(query({ wildcard: { tag: 'a*' } })).toEqual({ wildcard: { tag: { value: 'a*' } } });
  });

  it('matches nothing where a number can be no value of its field', () => {
    expect(query({ term: { n: 1.5 } })).toEqual({ match_none: {} });
    expect(query({ terms: { n: [1, 1.5] } })).toEqual({ terms: { n: [1] } });
  });

  it('writes an infinite bound as a number too large, as JSON has none', () => {
    const range = { gt: -Infinity, lte: Infinity };
    expect(query({ range: { d: range } })).toEqual({
      range: { d: { gt: '-1e400', lte: '1e400' } },
    });
  });

  it('does not ask whether a string exists that is in no index', () => {
    const text = { type: 'text', index: false, store: true };
    const properties = { kept: text, holder: { properties: { kept: text, n: { type: 'long' } } } };
    const other = compileMapping(parseMapping({ properties }));
    const exists = (field: string) =>
      toSearchBody(bindSearch(parseSearch({ query: { exists: { field } } }), other), other)['query'];
    expect(exists('holder.n')).toEqual({ exists: { field: 'holder.n' } });
    expect(exists('kept')).toEqual({ match_none: {} });
    const only = { bool: { should: [{ exists: { field: 'holder.n' } }] } };
    expect(exists('holder')).toEqual({ constant_score: { filter: only } });
    expect(exists('*')).toEqual({ constant_score: { filter: only } });
  });

  it('asks for ids by Elasticsearch, and for ids in any case by their copy', () => {
    expect(query({ term: { _id: 'a' } })).toEqual({ ids: { values: ['a'] } });
    expect(query({ terms: { _id: ['a', 'b'] } })).toEqual({ ids: { values: ['a', 'b'] } });
    expect(body({ sort: [{ _id: 'desc' }] })['sort']).toEqual([{ '_millrace.id': { order: 'desc' } }]);
  });

  it('names fields itself where a pattern would reach the metadata', () => {
    expect(JSON.stringify(query({ exists: { field: '*' } }))).not.toContain('_millrace');
    expect(JSON.stringify(query({ exists: { field: 't*' } }))).toContain('title.raw');
    const { highlight } = body({ highlight: { fields: { '*': {} } } });
    const names = (highlight as { fields: readonly object[] }).fields.flatMap(Object.keys);
    expect(names).toEqual(['title', 'title.raw', 'tag']);
    expect(JSON.stringify(query({ query_string: { query: 'mill' } }))).not.toContain('_millrace');
  });

  it('keeps the metadata out of filtered documents', () => {
    expect(body({ _source: ['a', 'b.*'] })['_source']).toEqual({
      includes: ['a', 'b.*'],
      excludes: ['_millrace', '_meta'],
    });
    expect(body({ _source: false })['_source']).toBe(false);
  });

  it('writes the minimum of a bool with its clauses, which Elasticsearch checks where it can not be reached as well', () => {
    const should = [{ term: { tag: 'a' } }, { term: { tag: 'b' } }];
    expect(query({ bool: { should, minimum_should_match: 2 } })).toMatchObject({
      bool: { minimum_should_match: 2 },
    });
    const must = { term: { tag: 'a' } };
    expect(query({ bool: { must, minimum_should_match: 3 } })).toMatchObject({
      bool: { must: [{ term: { tag: { value: 'a' } } }], minimum_should_match: 3 },
    });
    expect(query({ match: { title: { query: 'a b', minimum_should_match: '2<-25% 9<-3' } } })).toMatchObject({
      match: { title: { minimum_should_match: '2<-25% 9<-3' } },
    });
  });

  it('sends a polygon as a shape, as servers no longer have the query', () => {
    const points = [
      [0, 0],
      [0, 1],
      [1, 1],
    ];
    expect(query({ geo_polygon: { place: { points } } })).toEqual({
      constant_score: {
        filter: {
          geo_shape: {
            place: {
              shape: {
                type: 'polygon',
                coordinates: [
                  [
                    [0, 0],
                    [0, 1],
                    [1, 1],
                    [0, 0],
                  ],
                ],
              },
              relation: 'intersects',
            },
            ignore_unmapped: true,
          },
        },
      },
    });
  });

  it('writes aggregations with their children and their order', () => {
    const aggs = {
      tags: {
        terms: { field: 'tag', order: { 'sizes.avg': 'desc' } },
        meta: { of: 'me' },
        aggs: { sizes: { stats: { field: 'n' } } },
      },
      days: { date_histogram: { field: 'day', fixed_interval: '12h', offset: '+1h' } },
    };
    expect(body({ size: 0, aggs })['aggs']).toMatchObject({
      tags: {
        terms: { field: 'tag', size: 10, order: [{ 'sizes[avg]': 'desc' }, { _key: 'asc' }] },
        meta: { of: 'me' },
        aggs: { sizes: { stats: { field: 'n' } } },
      },
      days: { date_histogram: { field: 'day', fixed_interval: '43200000ms', offset: '3600000ms' } },
    });
  });

  it('tells names of aggregations from values in the path of an order', () => {
    const order = { 'all>sizes.avg': 'asc' };
    const inner = {
      all: { filter: { match_all: {} }, aggs: { sizes: { stats: { field: 'n' } } } },
    };
    const { aggs } = body({
      size: 0,
      aggs: { tags: { terms: { field: 'tag', order }, aggs: inner } },
    });
    expect(JSON.stringify(aggs)).toContain('{"all>sizes[avg]":"asc"}');
  });

  it('lets Elasticsearch see all terms before it leaves out those below a minimum', () => {
    const terms = (minimum: number) => ({ terms: { field: 'tag', min_doc_count: minimum } });
    const { aggs } = body({ size: 0, aggs: { one: terms(1), two: terms(2) } });
    expect(aggs).toHaveProperty('two.terms.shard_size', 65_536);
    expect(aggs).not.toHaveProperty('one.terms.shard_size');
  });

  it('puts a minimum of the score into the query where there are aggregations, and marks without it', () => {
    const aggs = { n: { sum: { field: 'n' } } };
    const highlight = { fields: { title: {} } };
    const search = body({ query: { term: { tag: 'a' } }, min_score: 2, aggs, highlight });
    const term = { term: { tag: { value: 'a' } } };
    expect(search['query']).toEqual({ function_score: { query: term, min_score: 2 } });
    expect(search['highlight']).toMatchObject({ highlight_query: term });
    expect(search).not.toHaveProperty('min_score');
    expect(body({ min_score: 2 })).toHaveProperty('min_score', 2);
  });

  it('asks leniently for phrases and beginnings of words by multi_match alone', () => {
    const lenient = { query: 'a b', fields: ['title'], type: 'phrase', lenient: true };
    expect(query({ multi_match: lenient })).toMatchObject({
      multi_match: { fields: ['title'], type: 'phrase', lenient: true },
    });
    expect(query({ match_phrase: { title: 'a b' } })).toHaveProperty('match_phrase');
  });

  it('leaves names of queries out', () => {
    expect(query({ match_all: { _name: 'all' } })).toEqual({ match_all: {} });
  });

  it('gives the border of integers back as text, which as a number is past it', () => {
    expect(body({ sort: ['n'], search_after: [2 ** 63] })['search_after']).toEqual(['9223372036854775807']);
    const after = body({ sort: ['n', 'd'], search_after: [9.3e18, -3e38] })['search_after'];
    expect(after).toEqual(['9300000000000000000', -3e38]);
  });

  it('sorts small integers as long ones, so that servers show the same for hits without a value', () => {
    expect(body({ sort: ['n', 'tag'] })['sort']).toMatchObject([
      { n: { numeric_type: 'long' } },
      { tag: expect.not.objectContaining({ numeric_type: 'long' }) as unknown },
    ]);
    const given = { n: { order: 'asc', numeric_type: 'double' } };
    expect(body({ sort: [given] })['sort']).toMatchObject([{ n: { numeric_type: 'double' } }]);
  });

  it('writes inner hits of nested queries', () => {
    const inner = { size: 1, sort: [{ 'parts.size': 'desc' }] };
    expect(query({ nested: { path: 'parts', query: { match_all: {} }, inner_hits: inner } })).toMatchObject({
      nested: { path: 'parts', inner_hits: { name: 'parts', from: 0, size: 1, _source: true } },
    });
    const sizeOf = (page: JsonObject) =>
      query({ nested: { path: 'parts', query: { match_all: {} }, inner_hits: page } });
    expect(sizeOf({ from: 4, size: 2 })).toMatchObject({
      nested: { inner_hits: { from: 0, size: 6 } },
    });
    expect(sizeOf({ from: 4, size: 0 })).toMatchObject({
      nested: { inner_hits: { from: 0, size: 0 } },
    });
  });

  it('SEARCH-73 takes terms on five levels and refuses a sixth, which could not be interrupted', () => {
    const terms = (levels: number): JsonObject => ({
      a: { terms: { field: 'tag' }, ...(levels > 1 && { aggs: terms(levels - 1) }) },
    });
    expect(body({ aggs: terms(5) })).toHaveProperty('aggs');
    expect(() => body({ aggs: terms(6) })).toThrow(
      'the 6th level of terms in each other, expected at most 5 on this storage engine',
    );
  });
});
