import { describe, expect, it } from 'vitest';
import type { JsonValue } from '@millrace/language';
import { QueryError } from '../errors.js';
import { parseCount, parseDeleteByQuery, parseQuery, parseSearch } from './parseSearch.js';
import { parseScrollSpan } from '../parse/parseSpan.js';

const all = { match_all: {} };
const fruit = { term: { tag: 'fruit' } };

function failure(run: () => unknown): QueryError {
  try {
    run();
  } catch (error) {
    if (error instanceof QueryError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('timeout', () => {
  it.each<[JsonValue, number | undefined]>([
    ['100ms', 100],
    ['2s', 2000],
    ['0s', undefined],
    ['0', undefined],
    [0, undefined],
    [-1, undefined],
    ['-1', undefined],
  ])('%j is as in Elasticsearch', (timeout, expected) => {
    expect(parseSearch({ timeout }).timeoutMs).toBe(expected);
  });

  it.each<[JsonValue]>([[5], ['5'], ['1.5s'], ['-1s'], ['5x'], [''], [true], [{}]])('refuses %j', (timeout) => {
    expect(failure(() => parseSearch({ timeout })).message).toMatch(/^timeout must be a span/);
  });
});

describe('body forms (SEARCH-1, SEARCH-2)', () => {
  it.each<[string, JsonValue | undefined, string]>([
    ['no body', undefined, 'match_all'],
    ['null', null, 'match_all'],
    ['{}', {}, 'match_all'],
    ['query {}', { query: {} }, 'match_all'],
    ['filter {}', { filter: {} }, 'constant_score'],
    ['a query', { query: fruit }, 'term'],
    ['a legacy filter', { filter: fruit }, 'constant_score'],
    ['query and filter', { query: all, filter: fruit }, 'bool'],
    ['a bare query', fruit, 'term'],
    ['a bare legacy query', { and: [fruit] }, 'bool'],
  ])('reads %s', (_, body, kind) => {
    expect(parseSearch(body).query.kind).toBe(kind);
    expect(parseCount(body).kind).toBe(kind);
  });

  it('scores 1.0 for every hit of a filter that is alone', () => {
    expect(parseSearch({ filter: fruit }).query).toMatchObject({
      boost: 1,
      filter: { field: 'tag' },
    });
  });

  it('gives from and size their defaults and remembers what was asked', () => {
    expect(parseSearch({})).toMatchObject({ from: 0, size: 10 });
    expect(parseSearch({})).not.toHaveProperty('fromGiven');
    expect(parseSearch({ from: 5, size: '7' }, { size: '3' })).toMatchObject({
      from: 5,
      size: 3,
      fromGiven: 5,
      sizeGiven: 3,
    });
    expect(parseSearch({}, { defaultSize: 20 }).size).toBe(20);
  });

  it.each<[string, JsonValue]>([
    ['an unknown key', { query: all, sizes: 3 }],
    ['a list', [1]],
    ['a text', 'x'],
    ['a query that is a list', { query: [all] }],
    ['a negative from', { from: -1 }],
    ['a fractional size', { size: 1.5 }],
    ['aggs with aggregations', { aggs: {}, aggregations: {} }],
    ['suggest', { suggest: {} }],
    ['search_after without sort', { search_after: [1] }],
    ['search_after by score alone', { sort: ['_score'], search_after: [1] }],
    ['search_after of another length', { sort: ['a'], search_after: [1, 2] }],
    ['search_after with from', { sort: ['a'], from: 1, search_after: [1] }],
    ['search_after with an object', { sort: ['a'], search_after: [{}] }],
    ['an empty inner query', { query: { bool: { must: [{}] } } }],
  ])('refuses %s', (_, body) => {
    expect(failure(() => parseSearch(body)).kind).toBe('invalid');
  });

  it('refuses to delete by query without one', () => {
    for (const body of [undefined, null, {}, { query: {} }, { filter: {} }, { query: {}, filter: {} }]) {
      expect(failure(() => parseDeleteByQuery(body)).message).toContain('match_all');
    }
    expect(parseDeleteByQuery({ query: all }).kind).toBe('match_all');
    expect(failure(() => parseDeleteByQuery({ query: all, size: 1 })).kind).toBe('invalid');
  });

  it('counts by query and filter only', () => {
    expect(failure(() => parseCount({ query: all, size: 1 })).path).toBe('size');
  });
});

describe('result window and scroll (SEARCH-80, SEARCH-81)', () => {
  it('allows from + size up to 10,000 and advises scroll beyond', () => {
    expect(parseSearch({}, { from: '20', size: '9980' }).size).toBe(9980);
    const error = failure(() => parseSearch({}, { from: 9991, size: 10 }));
    expect(error.kind).toBe('window_too_large');
    expect(error.message).toMatch(/scroll/);
  });

  it('reads spans with a unit, above 0 and up to 24 hours', () => {
    expect(['50ms', '30s', '1m', '24h', '1d'].map(parseScrollSpan)).toEqual([
      50, 30_000, 60_000, 86_400_000, 86_400_000,
    ]);
    for (const text of ['1x', '0m', '25h', 'm', '-1m', '1.5m', '', '2d']) {
      expect(failure(() => parseScrollSpan(text)).path).toBe('scroll');
    }
  });

  it('refuses a scroll with from, with size 0 or with search_after', () => {
    expect(parseSearch({}, { scroll: '1m' }).scrollMs).toBe(60_000);
    expect(failure(() => parseSearch({ from: 5 }, { scroll: '1m' })).path).toBe('from');
    expect(failure(() => parseSearch({ size: 0 }, { scroll: '1m' })).path).toBe('size');
    expect(failure(() => parseSearch({ sort: ['a'], search_after: [1] }, { scroll: '1m' })).path).toBe('search_after');
  });
});

describe('legacy forms (SEARCH-30)', () => {
  it.each<[string, JsonValue, object]>([
    ['and, list', { and: [fruit, all] }, { kind: 'bool', filter: [{ kind: 'term' }, { kind: 'match_all' }] }],
    ['and, filters', { and: { filters: [fruit], _cache: true } }, { kind: 'bool', filter: [{ kind: 'term' }] }],
    ['or', { or: [fruit, all] }, { kind: 'bool', should: [{}, {}], minimumShouldMatch: 1 }],
    ['not', { not: fruit }, { kind: 'bool', mustNot: [{ kind: 'term' }] }],
    ['not with filter', { not: { filter: fruit } }, { kind: 'bool', mustNot: [{ kind: 'term' }] }],
    ['not with query', { not: { query: fruit } }, { kind: 'bool', mustNot: [{ kind: 'term' }] }],
    [
      'missing',
      { missing: { field: 'a', existence: true, null_value: true } },
      { kind: 'bool', mustNot: [{ kind: 'exists', field: 'a' }] },
    ],
    [
      'filtered',
      { filtered: { query: all, filter: fruit } },
      { kind: 'bool', must: [{ kind: 'match_all' }], filter: [{ kind: 'term' }] },
    ],
    ['filtered without query', { filtered: { filter: fruit } }, { kind: 'bool', filter: [{ kind: 'term' }] }],
    ['query as a filter', { query: fruit }, { kind: 'term' }],
    ['fquery', { fquery: { query: fruit, _cache: true } }, { kind: 'term' }],
    ['in', { in: { tag: ['a', 'b'] } }, { kind: 'terms', values: ['a', 'b'] }],
    ['limit', { limit: { value: 3 } }, { kind: 'match_all' }],
    [
      'match of type phrase',
      { match: { a: { query: 'x y', type: 'phrase', slop: 1 } } },
      { kind: 'match_phrase', slop: 1 },
    ],
    [
      'match of type phrase_prefix',
      { match: { a: { query: 'x y', type: 'phrase_prefix' } } },
      { kind: 'match_phrase_prefix', maxExpansions: 50 },
    ],
    [
      'nested.filter',
      { nested: { path: 'n', filter: fruit } },
      { kind: 'nested', nestedPath: 'n', query: { kind: 'term' } },
    ],
    [
      'constant_score.query',
      { constant_score: { query: fruit } },
      { kind: 'constant_score', filter: { kind: 'term' } },
    ],
    [
      'geo_distance_range',
      { geo_distance_range: { from: '1km', to: '2km', loc: [1, 2] } },
      { kind: 'bool', must: [{ distanceMetres: 2000 }], mustNot: [{ distanceMetres: 1000 }] },
    ],
    ['dropped options', { terms: { tag: ['a'], execution: 'plain', _cache: false } }, { kind: 'terms', field: 'tag' }],
    [
      'range from and to',
      { range: { a: { from: 1, to: 2, include_upper: false } } },
      { lower: { value: 1, inclusive: true }, upper: { value: 2, inclusive: false } },
    ],
  ])('rewrites %s', (_, query, expected) => {
    expect(parseQuery(query)).toMatchObject(expected);
  });

  it('rewrites the legacy options of a sort', () => {
    expect(parseSearch({ sort: [{ a: { ignore_unmapped: true } }] }).sort).toMatchObject([{ unmappedType: 'long' }]);
    const nested = parseSearch({
      sort: { 'n.a': { nested_path: 'n', nested_filter: fruit } },
    }).sort;
    expect(nested).toMatchObject([{ nested: { path: 'n', filter: { kind: 'term' } } }]);
  });
});

describe('refused for security (SEARCH-70, SEARCH-71, SEARCH-72)', () => {
  it.each<[string, JsonValue]>([
    ['a script query', { query: { script: { script: 'true' } } }],
    ['a script deep down', { query: { bool: { must: { bool: { should: [{ script: {} }] } } } } }],
    ['a script in a nested query', { query: { nested: { path: 'n', query: { script: {} } } } }],
    ['script_score', { query: { function_score: { script_score: { script: '1' } } } }],
    ['script_score in functions', { query: { function_score: { functions: [{ script_score: {} }] } } }],
    ['script_fields', { script_fields: {} }],
    [
      'script_fields of inner hits',
      { query: { nested: { path: 'n', query: all, inner_hits: { script_fields: {} } } } },
    ],
    ['a script sort', { sort: [{ _script: { script: '1' } }] }],
    ['a script sort of top_hits', { aggs: { a: { top_hits: { sort: { _script: {} } } } } }],
    ['a script in an aggregation', { aggs: { a: { terms: { script: '1' } } } }],
    ['a script with a field', { aggs: { a: { avg: { field: 'a', script: '1' } } } }],
    [
      'a script in a source of composite',
      { aggs: { a: { composite: { sources: [{ s: { terms: { script: '1' } } }] } } } },
    ],
    ['scripted_metric', { aggs: { a: { scripted_metric: {} } } }],
    ['a script in a highlight query', { highlight: { fields: { a: { highlight_query: { script: {} } } } } }],
    ['a script in a sort filter', { sort: [{ a: { nested: { path: 'n', filter: { script: {} } } } }] }],
    ['a bare script query', { script: { script: 'true' } }],
    ['runtime mappings', { runtime_mappings: {} }],
    ['fields', { fields: ['a'] }],
    ['a terms lookup', { query: { terms: { tag: { index: 'x', id: '1', path: 'tag' } } } }],
    ['an indexed shape', { query: { geo_shape: { loc: { indexed_shape: { id: '1' } } } } }],
    ['more_like_this', { query: { more_like_this: { like: 'a' } } }],
    ['wrapper', { query: { wrapper: { query: '' } } }],
    ['a metadata field', { query: { term: { _index: 'x' } } }],
    ['a metadata field in multi_match', { query: { multi_match: { query: 'x', fields: ['a', '_index^2'] } } }],
    ['a metadata field in query_string', { query: { query_string: { query: 'a OR (b AND _index:x)' } } }],
    ['a metadata field in _exists_', { query: { query_string: { query: '_exists_:_routing' } } }],
    ['_id in exists', { query: { exists: { field: '_id' } } }],
    ['_id in an aggregation', { aggs: { a: { terms: { field: '_id' } } } }],
    ['a metadata field in a highlight', { highlight: { fields: { _index: {} } } }],
    ['a metadata field in a sort', { sort: '_seq_no' }],
    ['a metadata field in a function', { query: { function_score: { random_score: { field: '_seq_no' } } } }],
  ])('refuses %s as forbidden', (_, body) => {
    expect(failure(() => parseSearch(body)).kind).toBe('forbidden');
  });

  it('lets a field of the user be called script', () => {
    expect(
      parseSearch({
        query: { term: { script: 'x' } },
        sort: ['script'],
        aggs: { script: { terms: { field: 'script' } } },
      }).query,
    ).toMatchObject({ field: 'script' });
  });

  it('takes _id in ids, term, terms and sort', () => {
    expect(parseQuery({ term: { _id: 'x' } })).toMatchObject({ field: '_id' });
    expect(parseQuery({ terms: { _id: ['x'] } })).toMatchObject({ field: '_id' });
    expect(parseSearch({ sort: ['_id'] }).sort).toMatchObject([{ kind: 'id', order: 'asc' }]);
  });

  const nest = (levels: number): JsonValue =>
    Array.from({ length: levels }).reduce<JsonValue>((query) => ({ bool: { must: [query] } }), all);

  it('takes 30 levels of queries and refuses 31', () => {
    expect(parseQuery(nest(29)).kind).toBe('bool');
    expect(failure(() => parseQuery(nest(30))).message).toContain('30');
    expect(failure(() => parseQuery(nest(20_000))).message).toContain('30');
  });

  it('takes 1,024 clauses and refuses 1,025', () => {
    const should = (count: number) => ({
      bool: { should: Array.from({ length: count }, (_, n) => ({ term: { n } })) },
    });
    expect(parseQuery(should(1024)).kind).toBe('bool');
    expect(failure(() => parseQuery(should(1025))).message).toContain('1024');
  });

  it('takes 65,536 terms and refuses one more', () => {
    const terms = (count: number) => ({ terms: { n: Array.from({ length: count }, (_, n) => n) } });
    expect(parseQuery(terms(65_536)).kind).toBe('terms');
    expect(failure(() => parseQuery(terms(65_537))).kind).toBe('invalid');
  });
});

describe('sort (SEARCH-60)', () => {
  it('resolves defaults', () => {
    expect(
      parseSearch({ sort: ['a', { b: 'desc' }, '_score', { _id: { order: 'desc' } }, '_doc'] }).sort,
    ).toMatchObject([
      { kind: 'field', field: 'a', order: 'asc', mode: 'min', missing: 'last' },
      { kind: 'field', field: 'b', order: 'desc', mode: 'max' },
      { kind: 'score', order: 'desc' },
      { kind: 'id', order: 'desc' },
      { kind: 'doc', order: 'asc' },
    ]);
  });

  it('reads points and units of _geo_distance', () => {
    const sort = (options: JsonValue) => parseSearch({ sort: { _geo_distance: options } }).sort?.[0];
    expect(sort({ loc: [2, 48], unit: 'km' })).toMatchObject({
      points: [{ lat: 48, lon: 2 }],
      metresPerUnit: 1000,
      mode: 'min',
    });
    expect(sort({ loc: [[2, 48], { lat: 1, lon: 2 }], order: 'desc' })).toMatchObject({
      points: [
        { lat: 48, lon: 2 },
        { lat: 1, lon: 2 },
      ],
      metresPerUnit: 1,
      mode: 'max',
    });
    expect(failure(() => sort({ loc: [2, 98] })).kind).toBe('invalid');
  });

  it.each<[string, JsonValue]>([
    ['a number', 5],
    ['an unknown order', [{ a: 'upwards' }]],
    ['an unknown mode', [{ a: { mode: 'best' } }]],
    ['an unknown option', [{ a: { colour: 'red' } }]],
    ['an unknown type', [{ a: { unmapped_type: 'thing' } }]],
  ])('refuses %s', (_, sort) => {
    expect(failure(() => parseSearch({ sort })).kind).toBe('invalid');
  });
});

describe('_source and highlight', () => {
  it.each<[JsonValue, object]>([
    [false, { enabled: false }],
    [true, { enabled: true, includes: [] }],
    ['a*', { includes: ['a*'] }],
    [['a', 'b'], { includes: ['a', 'b'] }],
    [
      { include: 'a', excludes: ['b'] },
      { includes: ['a'], excludes: ['b'] },
    ],
    [{ maxLength: '80' }, { enabled: true, includes: [], maxLength: 80 }],
  ])('reads %j', (given, expected) => {
    expect(parseSearch({ _source: given }).source).toMatchObject(expected);
  });

  it.each<[JsonValue]>([
    [{ _source: { maxLength: 0 } }],
    [{ _source: { maxLength: 1.5 } }],
    [{ aggs: { a: { top_hits: { _source: { maxLength: 80 } } } } }],
    [{ query: { nested: { path: 'a', query: { match_all: {} }, inner_hits: { _source: { maxLength: 80 } } } } }],
  ])('refuses %j', (body) => {
    expect(failure(() => parseSearch(body))).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('"maxLength"') as unknown,
    });
  });

  it('lays the options of a field over the common ones', () => {
    const highlight = parseSearch({
      highlight: {
        pre_tags: ['['],
        post_tags: ['</em>'],
        number_of_fragments: 0,
        fields: [{ a: {} }, { b: { pre_tags: '<', post_tags: '</em>' } }],
      },
    }).highlight;
    expect(highlight?.fields).toMatchObject([
      { field: 'a', preTags: ['['], postTags: ['</em>'], numberOfFragments: 0, fragmentSize: 100 },
      { field: 'b', preTags: ['<'] },
    ]);
  });
});
