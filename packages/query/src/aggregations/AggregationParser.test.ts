import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '@millrace/language';
import { QueryError } from '../errors.js';
import { parseSearch } from '../request/parseSearch.js';

const one = (aggregation: JsonValue) => parseSearch({ aggs: { x: aggregation } }).aggregations[0];
const terms = { terms: { field: 'a' } };

describe('aggregations (SEARCH-50)', () => {
  it.each<[JsonValue, object]>([
    [
      terms,
      {
        kind: 'terms',
        name: 'x',
        size: 10,
        minDocCount: 1,
        path: 'aggs.x.terms',
        order: [
          { by: 'count', order: 'desc' },
          { by: 'key', order: 'asc' },
        ],
      },
    ],
    [{ terms: { field: 'a', order: { _term: 'asc' } } }, { order: [{ by: 'key', order: 'asc' }] }],
    [
      {
        terms: { field: 'a', order: [{ 's.avg': 'desc' }] },
        aggs: { s: { stats: { field: 'b' } } },
      },
      {
        order: [
          { by: { metric: ['s', 'avg'] }, order: 'desc' },
          { by: 'key', order: 'asc' },
        ],
        aggregations: [{ kind: 'stats' }],
      },
    ],
    [
      { terms: { field: 'a', include: 'd.*', exclude: ['x'], shard_size: 5 } },
      { include: { kind: 'pattern' }, exclude: { kind: 'values', values: ['x'] } },
    ],
    [
      { terms: { field: 'a', include: { partition: 1, num_partitions: 3 } } },
      { include: { partition: 1, partitionCount: 3 } },
    ],
    [
      { range: { field: 'a', ranges: [{ to: 2 }, { from: '2', key: 'k' }] } },
      { ranges: [{ to: 2 }, { from: '2', key: 'k' }], keyed: false },
    ],
    [{ date_range: { field: 'a', ranges: [{ from: 'now-1d' }] } }, { ranges: [{ from: 'now-1d' }] }],
    [
      { histogram: { field: 'a', interval: 5, extended_bounds: { min: 0 } } },
      { interval: 5, offset: 0, minDocCount: 0, extendedBounds: { min: 0 } },
    ],
    [
      { date_histogram: { field: 'a', calendar_interval: '1M' } },
      { interval: { kind: 'calendar', unit: 'month' }, offsetMs: 0 },
    ],
    [
      { date_histogram: { field: 'a', fixed_interval: '30d', offset: '-6h' } },
      { interval: { kind: 'fixed', ms: 2_592_000_000 }, offsetMs: -21_600_000 },
    ],
    [{ date_histogram: { field: 'a', interval: 'year' } }, { interval: { kind: 'calendar', unit: 'year' } }],
    [{ date_histogram: { field: 'a', interval: '90m' } }, { interval: { kind: 'fixed', ms: 5_400_000 } }],
    [{ filter: { term: { a: 1 } } }, { filter: { kind: 'term', path: 'aggs.x.filter.term' } }],
    [
      { filters: { filters: { p: { match_all: {} } }, other_bucket_key: 'rest' } },
      { keyed: true, filters: [{ key: 'p' }], otherBucketKey: 'rest' },
    ],
    [{ filters: { filters: [{ match_all: {} }], other_bucket: true } }, { keyed: false, otherBucketKey: '_other_' }],
    [{ global: {} }, { kind: 'global' }],
    [
      { nested: { path: 'n' }, aggs: { r: { reverse_nested: {} } } },
      { nestedPath: 'n', aggregations: [{ kind: 'reverse_nested' }] },
    ],
    [
      {
        composite: {
          sources: [{ s: { terms: { field: 'a' } } }, { t: { histogram: { field: 'b', interval: 2 } } }],
          after: { t: 1, s: null },
        },
      },
      {
        size: 10,
        after: [null, 1],
        sources: [{ name: 's', order: 'asc', missingBucket: false }, { interval: 2 }],
      },
    ],
    [{ geohash_grid: { field: 'a' } }, { precision: 5, size: 10_000 }],
    ...(
      [
        ['5000km', 2],
        ['150km', 4],
        ['100km', 4],
        ['39km', 5],
        ['10km', 5],
        ['1km', 7],
        ['600m', 7],
        ['100m', 8],
        ['5m', 10],
        ['1m', 11],
      ] as const
    ).map(([length, precision]): [JsonObject, JsonObject] => [
      { geohash_grid: { field: 'a', precision: length } },
      { precision },
    ]),
    [
      { avg: { field: 'a', missing: 1 }, meta: { unit: 'm' } },
      { kind: 'avg', missing: 1, meta: { unit: 'm' } },
    ],
    [{ percentiles: { field: 'a' } }, { percents: [1, 5, 25, 50, 75, 95, 99], keyed: true }],
    [{ top_hits: {} }, { from: 0, size: 3, version: false }],
  ])('reads %j', (aggregation, expected) => {
    expect(one(aggregation)).toMatchObject(expected);
  });

  it.each<[string, JsonValue]>([
    ['an unknown kind', { x: { medianish: { field: 'a' } } }],
    ['two kinds', { x: { min: { field: 'a' }, max: { field: 'a' } } }],
    ['no kind', { x: {} }],
    ['a pipeline', { x: { ...terms, aggs: { d: { cumulative_sum: { buckets_path: 'q' } } } } }],
    ['a name with brackets', { 'x[0]': terms }],
    ['a name with >', { 'x>y': terms }],
    ['a histogram without interval', { x: { histogram: { field: 'a' } } }],
    ['an interval of 0', { x: { histogram: { field: 'a', interval: 0 } } }],
    ['an unknown option', { x: { terms: { field: 'a', colour: 'red' } } }],
    ['children of a metric', { x: { avg: { field: 'a' }, aggs: { y: terms } } }],
    ['both names of children', { x: { ...terms, aggs: {}, aggregations: {} } }],
    ['global below another', { x: { ...terms, aggs: { y: { global: {} } } } }],
    [
      'twelve levels',
      {
        x: Array.from({ length: 11 }).reduce<JsonValue>((inner) => ({ ...terms, aggs: { y: inner } }), terms),
      },
    ],
    ['a list', []],
    ['an order by nothing', { x: { terms: { field: 'a', order: { nope: 'asc' } } } }],
    [
      'an order by a multi-value metric',
      { x: { terms: { field: 'a', order: { s: 'asc' } }, aggs: { s: { stats: { field: 'b' } } } } },
    ],
    ['a calendar interval of two months', { x: { date_histogram: { field: 'a', calendar_interval: '2M' } } }],
    ['a fixed interval of a month', { x: { date_histogram: { field: 'a', fixed_interval: '1M' } } }],
    ['two intervals', { x: { date_histogram: { field: 'a', fixed_interval: '1d', calendar_interval: '1d' } } }],
    ['a number for a field', { x: { terms: { field: 5 } } }],
    ['a number for a format', { x: { max: { field: 'a', format: 5 } } }],
    ['101 top hits', { x: { top_hits: { size: 101 } } }],
    ['a percentile of 101', { x: { percentiles: { field: 'a', percents: [101] } } }],
    ['an after with another key', { x: { composite: { sources: [{ s: terms }], after: { t: 1 } } } }],
    ['a geohash of 1 mm', { x: { geohash_grid: { field: 'a', precision: '1mm' } } }],
    ['a geohash of no size', { x: { geohash_grid: { field: 'a', precision: '0m' } } }],
    ['a geohash of 13', { x: { geohash_grid: { field: 'a', precision: 13 } } }],
  ])('refuses %s', (_, aggs) => {
    expect(() => parseSearch({ aggs })).toThrow(QueryError);
  });

  it('takes ten levels', () => {
    const ten = Array.from({ length: 9 }).reduce<JsonValue>((inner) => ({ ...terms, aggs: { y: inner } }), terms);
    expect(one(ten)?.kind).toBe('terms');
  });
});
