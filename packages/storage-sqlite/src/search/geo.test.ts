import type { JsonObject, JsonValue } from '@millrace/kernel';
import { afterAll, describe, expect, it } from 'vitest';
import { TestCollection } from './TestCollection.test.support.js';

const ring = (west: number, south: number, east: number, north: number): JsonValue => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
];
const polygon = (...rings: JsonValue[]): JsonObject => ({ type: 'Polygon', coordinates: rings });
const envelope = (west: number, north: number, east: number, south: number): JsonObject => ({
  type: 'envelope',
  coordinates: [
    [west, north],
    [east, south],
  ],
});

describe('geo_shape, geo_polygon, geohash_grid (query-language.md sections 3 and 6)', () => {
  const things = new TestCollection({
    properties: { area: { type: 'geo_shape' }, at: { type: 'geo_point' } },
  }).put({
    square: { area: polygon(ring(0, 0, 10, 10)), at: [5, 5] },
    donut: {
      area: polygon(ring(20, 0, 30, 10), ring(23, 3, 27, 7)),
      at: [
        [25, 5],
        [21, 1],
      ],
    },
    line: { area: 'LINESTRING (0 20, 10 30)', at: [9, 29] },
    spot: { area: { type: 'Point', coordinates: [5, 5] }, at: [-179, 0] },
    pair: {
      area: { type: 'MultiPolygon', coordinates: [[ring(40, 0, 45, 5)], [ring(45, 0, 50, 5)]] },
    },
    none: { other: true },
  });
  afterAll(() => {
    things.close();
  });
  const find = (shape: JsonValue, relation: string, field = 'area') =>
    things.ids({ query: { geo_shape: { [field]: { shape, relation } } } }).sort();

  it.each<[string, JsonValue, string, string[]]>([
    ['a box inside', envelope(1, 9, 9, 1), 'intersects', ['spot', 'square']],
    ['a box around', envelope(-1, 11, 11, -1), 'intersects', ['spot', 'square']],
    ['a box in a hole', envelope(24, 6, 26, 4), 'intersects', []],
    ['a box over the border of a hole', envelope(22, 6, 26, 4), 'intersects', ['donut']],
    ['a crossing line', 'LINESTRING (0 30, 10 20)', 'intersects', ['line']],
    ['apart', envelope(-1, 31, 31, -1), 'disjoint', ['pair']],
    ['within', envelope(-1, 11, 11, -1), 'within', ['spot', 'square']],
    [
      'not within what has a hole there',
      polygon(ring(-1, -1, 11, 11), ring(4, 4, 6, 6)),
      'within',
      [],
    ],
    ['contains', envelope(1, 2, 2, 1), 'contains', ['square']],
    ['contains, but for the hole', envelope(21, 8, 29, 1), 'contains', []],
    ['contains over two that touch', envelope(41, 4, 49, 1), 'contains', ['pair']],
    ['contains a point', 'POINT (5 5)', 'contains', ['spot', 'square']],
    [
      'a circle that reaches',
      { type: 'circle', coordinates: [11, 5], radius: '112km' },
      'intersects',
      ['square'],
    ],
    [
      'a circle that does not',
      { type: 'circle', coordinates: [11, 5], radius: '110km' },
      'intersects',
      [],
    ],
    [
      'several',
      {
        type: 'GeometryCollection',
        geometries: [
          { type: 'Point', coordinates: [1, 1] },
          { type: 'Point', coordinates: [21, 1] },
        ],
      },
      'intersects',
      ['donut', 'square'],
    ],
  ])('finds shapes: %s', (_, shape, relation, expected) => {
    expect(find(shape, relation)).toEqual(expected);
  });

  it.each<[string, JsonValue, string, string[]]>([
    ['intersects', envelope(20, 6, 26, 4), 'intersects', ['donut']],
    ['within', envelope(20, 6, 26, 4), 'within', []],
    ['within, all points', envelope(20, 6, 26, 0), 'within', ['donut']],
    ['disjoint', envelope(20, 6, 26, 4), 'disjoint', ['line', 'spot', 'square']],
    ['over the date line', envelope(170, 10, -170, -10), 'intersects', ['spot']],
    [
      'a polygon over the date line',
      polygon([
        [170, -10],
        [-170, -10],
        [-170, 10],
        [170, 10],
        [170, -10],
      ]),
      'intersects',
      ['spot'],
    ],
    [
      'circle',
      { type: 'circle', coordinates: [5, 5.001], radius: '120m' },
      'intersects',
      ['square'],
    ],
  ])('finds points: %s', (_, shape, relation, expected) => {
    expect(find(shape, relation, 'at')).toEqual(expected);
  });

  it('finds points in a polygon', () => {
    const points = [
      [4, 4],
      [6, 4],
      [5, 7],
    ];
    expect(things.ids({ query: { geo_polygon: { at: { points } } } })).toEqual(['square']);
  });

  it('moves points and corners onto the grid of 32 bits, as Elasticsearch, which decides on slanted borders', () => {
    const places = new TestCollection({ properties: { at: { type: 'geo_point' } } });
    places.put({ middle: { at: [0, 0] }, pole: { at: [180, 90] } });
    const inside = (...points: number[][]) =>
      places.ids({ query: { geo_polygon: { at: { points } } } });
    expect(inside([-50, -15], [29, 39], [-29, -39])).toEqual([]);
    expect(inside([29, 39], [-29, -39], [50, -15])).toEqual(['middle']);
    expect(inside([179, 89], [180, 89], [180, 90], [179, 90])).toEqual(['pole']);
    places.close();
  });

  it('counts points by cell', () => {
    const grid = (more: JsonObject) =>
      things.search({ size: 0, aggs: { g: { geohash_grid: { field: 'at', ...more } } } })
        .aggregations;
    expect(grid({ precision: 1 })).toEqual({
      g: {
        buckets: [
          { key: 's', doc_count: 3 },
          { key: '8', doc_count: 1 },
        ],
      },
    });
    expect(grid({ precision: 1, size: 1 })).toEqual({
      g: { buckets: [{ key: 's', doc_count: 3 }] },
    });
    const bounds = { top_left: '10,-180', bottom_right: '-10,-170' };
    expect(grid({ precision: 2, bounds })).toEqual({
      g: { buckets: [{ key: '80', doc_count: 1 }] },
    });
  });
});
