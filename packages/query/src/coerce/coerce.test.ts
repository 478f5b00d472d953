import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonScalar, JsonValue } from '@millrace/language';
import { QueryError } from '../errors.js';
import { compileMapping } from '../mapping/compileMapping.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import { parseMapping } from '../mapping/parseMapping.js';
import { parseQuery, parseSearch } from '../request/parseSearch.js';
import type { RangeQuery } from '../tree/Query.js';
import { bindSearch } from '../request/bindSearch.js';
import { coerceDecay } from './coerceDecay.js';
import { coerceRange } from './coerceRange.js';
import { coerceTerm } from './coerceTerm.js';

const compiled = compileMapping(
  parseMapping({
    properties: {
      text: { type: 'text' },
      tag: { type: 'keyword' },
      low: { type: 'keyword', normalizer: 'lowercase' },
      n: { type: 'integer' },
      f: { type: 'float' },
      on: { type: 'boolean' },
      day: { type: 'date' },
      ip: { type: 'ip' },
      loc: { type: 'geo_point' },
      off: { type: 'keyword', index: false },
      bare: { type: 'long', doc_values: false },
      items: { type: 'nested', properties: { sku: { type: 'keyword' } } },
    },
  }),
);
const field = (name: string): CompiledField => {
  const found = compiled.fields.get(name);
  if (found === undefined) throw new Error(name);
  return found;
};

describe('coerceTerm', () => {
  it.each<[string, JsonScalar, object]>([
    ['tag', 5, { kind: 'text', value: '5' }],
    ['tag', 0.5, { kind: 'text', value: '0.5' }],
    ['tag', 1e-4, { kind: 'text', value: '0.0001' }],
    ['low', 'ABC', { kind: 'text', value: 'abc' }],
    ['n', '12', { kind: 'number', value: 12 }],
    ['n', 1.5, { kind: 'none' }],
    ['n', 3e10, { kind: 'none' }],
    ['f', 1.1, { kind: 'number', value: Math.fround(1.1) }],
    ['on', 'true', { kind: 'boolean', value: true }],
    ['day', '2024-01-15', { kind: 'dates', firstMs: Date.UTC(2024, 0, 15), lastMs: Date.UTC(2024, 0, 16) - 1 }],
    [
      'ip',
      '10.0.0.0/8',
      {
        kind: 'ips',
        first: '00000000000000000000ffff0a000000',
        last: '00000000000000000000ffff0affffff',
      },
    ],
  ])('reads a term of %s: %j', (name, value, expected) => {
    expect(coerceTerm(field(name), value, 'p')).toEqual(expected);
  });

  it.each<[string, JsonScalar]>([
    ['n', 'seven'],
    ['n', true],
    ['on', 'maybe'],
    ['day', 'soon'],
    ['ip', 'x'],
    ['loc', '1,2'],
    ['off', 'x'],
  ])('refuses a term of %s: %j', (name, value) => {
    expect(() => coerceTerm(field(name), value, 'p')).toThrow(QueryError);
  });
});

describe('coerceRange', () => {
  it.each([
    ['integer', 'cheap'],
    ['integer', 3e9],
    ['ip', 'x'],
    ['boolean', 'maybe'],
    ['date', 'someday'],
  ])('says of a bound that does not fit (%s) that the range is invalid', (type, gte) => {
    const mapping = compileMapping(parseMapping({ properties: { v: { type } } }));
    const request = parseSearch({ query: { bool: { must: [{ range: { v: { gte } } }] } } });
    expect(() => {
      bindSearch(request, mapping);
    }).toThrow(/^Invalid range on "v" at query\.bool\.must\[0\]\.range: /);
  });

  const range = (name: string, options: JsonValue) =>
    coerceRange(field(name), parseQuery({ range: { [name]: options } }) as RangeQuery, Date.UTC(2024, 4, 15, 12));

  it('rounds dates by the side of the bound', () => {
    const day = '2024-02-10';
    expect(range('day', { gte: day, lt: day })).toMatchObject({
      lower: { value: Date.UTC(2024, 1, 10) },
      upper: { value: Date.UTC(2024, 1, 10) },
    });
    expect(range('day', { gt: day, lte: day })).toMatchObject({
      lower: { value: Date.UTC(2024, 1, 11) - 1, inclusive: false },
      upper: { value: Date.UTC(2024, 1, 11) - 1, inclusive: true },
    });
  });

  it('reads formats, zones, now and milliseconds', () => {
    expect(range('day', { gte: '01/02/2024', format: 'dd/MM/yyyy' })).toMatchObject({
      lower: { value: Date.UTC(2024, 1, 1) },
    });
    expect(range('day', { gte: '2024-01-01', time_zone: '+01:00' })).toMatchObject({
      lower: { value: Date.UTC(2023, 11, 31, 23) },
    });
    expect(range('day', { lt: 'now-1d' })).toMatchObject({
      upper: { value: Date.UTC(2024, 4, 14, 12) },
    });
    expect(range('day', { gte: 1700000000000 })).toMatchObject({ lower: { value: 1700000000000 } });
  });

  it('reads numbers, strings and addresses', () => {
    expect(range('n', { gt: '2' })).toEqual({
      kind: 'number',
      lower: { value: 2, inclusive: false },
    });
    expect(range('tag', { lte: 5 })).toEqual({
      kind: 'text',
      upper: { value: '5', inclusive: true },
    });
    expect(range('ip', { gte: '10.0.0.0' })).toMatchObject({ kind: 'text' });
    for (const [name, value] of [
      ['n', 'cheap'],
      ['day', 'someday'],
      ['ip', 'x'],
      ['loc', 1],
      ['off', 'a'],
    ] as const) {
      expect(() => range(name, { gte: value })).toThrow(QueryError);
    }
  });
});

describe('coerceDecay', () => {
  it('reads origin and lengths by type', () => {
    const decay = (name: string, options: JsonValue) => {
      const query = parseQuery({ function_score: { gauss: { [name]: options } } });
      const score = query.kind === 'function_score' ? query.functions[0]?.function : undefined;
      if (score?.kind !== 'decay') throw new Error('no decay');
      return coerceDecay(field(name), score, 1000);
    };
    expect(decay('n', { origin: 5, scale: '2' })).toEqual({ origin: 5, scale: 2, offset: 0 });
    expect(decay('day', { scale: '10d', offset: '1h' })).toEqual({
      origin: 1000,
      scale: 864_000_000,
      offset: 3_600_000,
    });
    expect(decay('loc', { origin: [2, 48], scale: '1km' })).toEqual({
      origin: { lat: 48, lon: 2 },
      scale: 1000,
      offset: 0,
    });
    expect(() => decay('n', { scale: 2 })).toThrow(QueryError);
    expect(() => decay('tag', { origin: 1, scale: 2 })).toThrow(QueryError);
  });
});

describe('bindSearch', () => {
  const check = (body: JsonValue) => bindSearch(parseSearch(body), compiled);

  it.each<[string, JsonValue]>([
    [
      'an unmapped field in any query',
      {
        query: {
          bool: {
            should: [{ term: { x: 1 } }, { range: { x: { gte: 'a' } } }, { geo_distance: { distance: 1, x: [0, 0] } }],
          },
        },
      },
    ],
    ['an unmapped sort with a type', { sort: [{ x: { unmapped_type: 'long' } }] }],
    ['an unmapped field in an aggregation', { aggs: { a: { avg: { field: 'x' } } } }],
    ['a lenient match', { query: { match: { n: { query: 'seven', lenient: true } } } }],
    ['a phrase of one word of a keyword', { query: { match_phrase: { tag: { query: 'a', analyzer: 'standard' } } } }],
    [
      'a lenient phrase of a keyword',
      {
        query: {
          query_string: { query: '"a b"', fields: ['tag'], analyzer: 'standard', lenient: true },
        },
      },
    ],
    [
      'top_hits of nested objects with a separate order',
      {
        aggs: {
          a: {
            nested: { path: 'items' },
            aggs: {
              b: {
                nested: { path: 'nowhere' },
                aggs: { c: { top_hits: { sort: ['items.sku'] } } },
              },
            },
          },
        },
      },
    ],
    [
      'a boolean that an analyzer leaves as it is',
      { query: { match: { on: { query: false, analyzer: 'standard' } } } },
    ],
    ['a nested query', { query: { nested: { path: 'items', query: { term: { 'items.sku': 'a' } } } } }],
  ])('lets %s pass', (_, body) => {
    expect(() => check(body)).not.toThrow();
  });

  it.each<[string, JsonValue]>([
    ['a sort by an unmapped field', { sort: ['x'] }],
    ['a sort by a text field', { sort: ['text'] }],
    ['a sort without doc_values', { sort: ['bare'] }],
    ['a sort by average of keywords', { sort: [{ tag: { mode: 'avg' } }] }],
    ['a string for a number', { query: { range: { n: { gte: 'cheap' } } } }],
    ['a string matched on a number', { query: { match: { n: 'cheap' } } }],
    [
      'a beginning of words in nested objects that keep no positions, at any depth',
      {
        query: {
          match_phrase_prefix: { 'items.sku': { query: 'a b', analyzer: 'standard' } },
        },
      },
    ],
    [
      'a phrase of several words of a keyword',
      { query: { match_phrase: { tag: { query: 'a b', analyzer: 'standard' } } } },
    ],
    ...[{ nested: { path: 'nowhere' } }, { nested: { path: 'items' }, back: true }].map(
      ({ nested, back }): [string, JsonObject] => {
        const hits = { top_hits: { sort: ['items.sku'] } };
        const inner = back === true ? { reverse_nested: {}, aggs: { hits } } : hits;
        return [
          `top_hits of documents in an order of nested objects below ${nested.path}`,
          { aggs: { a: { nested, aggs: { inner } } } },
        ];
      },
    ),
    ['a boolean of which an analyzer leaves none', { query: { match: { on: { query: false, analyzer: 'english' } } } }],
    ['an analyzer that there is not', { query: { match: { text: { query: 'x', analyzer: 'klingon' } } } }],
    ['one for a field that is not mapped', { query: { match: { nowhere: { query: 'x', analyzer: 'klingon' } } } }],
    ['one for several fields', { query: { multi_match: { query: 'x', fields: ['text'], analyzer: 'klingon' } } }],
    ['one for quoted words', { query: { query_string: { query: 'x', quote_analyzer: 'klingon' } } }],
    ['a prefix of a number', { query: { prefix: { n: '1' } } }],
    ['a search in an unindexed field', { query: { prefix: { off: 'x' } } }],
    ['nested on a path that is not nested', { query: { nested: { path: 'tag', query: { match_all: {} } } } }],
    ['nested on an unmapped path', { query: { nested: { path: 'x', query: { match_all: {} } } } }],
    ['geo_distance on a keyword', { query: { geo_distance: { distance: 1, tag: [0, 0] } } }],
    ['an average of keywords', { aggs: { a: { avg: { field: 'tag' } } } }],
    ['terms of a text field', { aggs: { a: { terms: { field: 'text' } } } }],
    ['a histogram of keywords', { aggs: { a: { histogram: { field: 'tag', interval: 1 } } } }],
    ['a format for keywords', { aggs: { a: { terms: { field: 'tag', format: '0' } } } }],
    ['a wrong expression', { query: { regexp: { tag: 'ab|' } } }],
    ['an expression of 250,000 steps', { query: { regexp: { tag: '(.{1,500}){1,500}' } } }],
    ['a complement', { query: { regexp: { tag: '~a' } } }],
    ['a number out of range', { query: { term: { n: 5e9 } } }],
    ['one as a string', { query: { match: { n: '5e9' } } }],
    [
      'a default that is no date of the format',
      {
        aggs: {
          a: {
            date_histogram: {
              field: 'nowhere',
              fixed_interval: '1d',
              format: 'yyyy',
              missing: '2024-01-01',
            },
          },
        },
      },
    ],
    [
      'a time zone for booleans',
      { aggs: { a: { date_histogram: { field: 'on', fixed_interval: '1d', time_zone: 'UTC' } } } },
    ],
    ['a format of numbers for dates', { aggs: { a: { stats: { field: 'day', format: '#,##0.0' } } } }],
    ['one for a field that is not mapped', { query: { regexp: { nowhere: 'ab|' } } }],
    ['a date_histogram of keywords', { aggs: { a: { date_histogram: { field: 'tag', fixed_interval: '1d' } } } }],
    ['a time zone for numbers', { aggs: { a: { date_range: { field: 'n', ranges: [{}], time_zone: 'UTC' } } } }],
    [
      'a date format for numbers in composite',
      {
        aggs: {
          a: {
            composite: {
              sources: [{ s: { date_histogram: { field: 'n', fixed_interval: '1d', format: 'yyyy' } } }],
            },
          },
        },
      },
    ],
    [
      'a date as a bound of booleans',
      {
        aggs: {
          a: {
            date_histogram: {
              field: 'on',
              fixed_interval: '1d',
              hard_bounds: { max: '2024-01-01' },
            },
          },
        },
      },
    ],
    [
      'a date as a bound of numbers',
      {
        aggs: {
          a: {
            date_histogram: { field: 'n', fixed_interval: '1d', extended_bounds: { min: 'now' } },
          },
        },
      },
    ],
    [
      'a number as a bound of a range of booleans',
      { aggs: { a: { date_range: { field: 'on', ranges: [{ from: 1 }] } } } },
    ],
    [
      'a default of a date_range that is no date of the format',
      {
        aggs: {
          a: {
            date_range: { field: 'nowhere', ranges: [{}], format: 'yyyy', missing: '2024-01-01' },
          },
        },
      },
    ],
    ['a bad date in date_range', { aggs: { a: { date_range: { field: 'day', ranges: [{ from: 'soon' }] } } } }],
    ['a bad query in a filter aggregation', { aggs: { a: { filter: { term: { n: 'x' } } } } }],
    ['reverse_nested outside nested', { aggs: { a: { reverse_nested: {} } } }],
    ['a pattern of numbers', { aggs: { a: { terms: { field: 'n', include: '1.*' } } } }],
    ['a bad value in a query_string', { query: { query_string: { query: 'n:seven', default_field: 'tag' } } }],
    ['field_value_factor of a keyword', { query: { function_score: { field_value_factor: { field: 'tag' } } } }],
  ])('refuses %s', (_, body) => {
    expect(() => check(body)).toThrow(QueryError);
  });
});
