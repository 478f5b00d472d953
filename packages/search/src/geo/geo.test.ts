import type { JsonObject, JsonValue } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { TestCollection } from '../TestCollection.test.support.js';

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

describe('geo_shape, geo_polygon, geohash_grid (SEARCH-20, SEARCH-27)', () => {
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
    ['not within what has a hole there', polygon(ring(-1, -1, 11, 11), ring(4, 4, 6, 6)), 'within', []],
    ['contains', envelope(1, 2, 2, 1), 'contains', ['square']],
    ['contains, but for the hole', envelope(21, 8, 29, 1), 'contains', []],
    ['contains over two that touch', envelope(41, 4, 49, 1), 'contains', ['pair']],
    ['contains a point', 'POINT (5 5)', 'contains', ['spot', 'square']],
    ['a circle that reaches', { type: 'circle', coordinates: [11, 5], radius: '112km' }, 'intersects', ['square']],
    ['a circle that does not', { type: 'circle', coordinates: [11, 5], radius: '110km' }, 'intersects', []],
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
    ['circle', { type: 'circle', coordinates: [5, 5.001], radius: '120m' }, 'intersects', ['square']],
  ])('finds points: %s', (_, shape, relation, expected) => {
    expect(find(shape, relation, 'at')).toEqual(expected);
  });

  describe('over the date line', () => {
    const sea = new TestCollection({ properties: { area: { type: 'geo_shape' } } }).put({
      east: { area: polygon(ring(170, -10, -170, 10)) },
      west: { area: polygon(ring(-170, -10, 170, 10)) },
      hole: { area: polygon(ring(160, -20, -160, 20), ring(175, -5, -175, 5)) },
      line: { area: 'LINESTRING (175 1, -175 1)' },
      box: { area: envelope(170, 10, -170, -10) },
      pole: { area: { type: 'circle', coordinates: [30, 90], radius: '500km' } },
    });
    const at = (shape: JsonValue, relation: string): readonly string[] =>
      sea.ids({ query: { geo_shape: { area: { shape, relation } } } }).sort();

    it.each<[string, JsonValue, string, string[]]>([
      ['world', envelope(-180, 90, 180, -90), 'within', ['box', 'east', 'hole', 'line', 'pole', 'west']],
      ['a wider box', envelope(165, 15, -165, -15), 'within', ['box', 'east', 'line', 'west']],
      ['a wider polygon', polygon(ring(165, -15, -165, 15)), 'within', ['box', 'east', 'line', 'west']],
      ['half of them', envelope(165, 15, 180, -15), 'within', []],
      ['a narrow box', envelope(172, 8, -172, -8), 'contains', ['box', 'east', 'west']],
      ['a narrow polygon', polygon(ring(172, -8, -172, 8)), 'contains', ['box', 'east', 'west']],
      ['a box in the hole', envelope(176, 4, -176, 2), 'intersects', ['box', 'east', 'west']],
      ['a point on the line', { type: 'Point', coordinates: [-178, 1] }, 'intersects', ['box', 'east', 'line', 'west']],
      ['the pole', { type: 'Point', coordinates: [-100, 89] }, 'intersects', ['pole']],
      ['a line on it', 'LINESTRING (180 9, 180 20)', 'intersects', ['box', 'east', 'hole', 'west']],
      ['elsewhere', envelope(-150, 40, 150, -40), 'intersects', []],
    ])('finds shapes: %s', (_, shape, relation, expected) => {
      expect(at(shape, relation)).toEqual(expected);
    });
  });

  it('finds points in a polygon', () => {
    const points = [
      [4, 4],
      [6, 4],
      [5, 7],
    ];
    expect(things.ids({ query: { geo_polygon: { at: { points } } } })).toEqual(['square']);
  });

  it('counts points by cell', () => {
    const grid = (more: JsonObject) =>
      things.search({ size: 0, aggs: { g: { geohash_grid: { field: 'at', ...more } } } }).aggregations;
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
