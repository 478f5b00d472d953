import type { JsonObject, JsonValue, Point } from '@millrace/language';
import type { PolygonRings, Shape } from '@millrace/query';
import { shortWayRound } from './shortWayRound.js';

/** A geometry as Elasticsearch reads it: GeoJSON plus Elasticsearch's `envelope` and `circle`. */
export function toGeoShape(shape: Shape): JsonObject {
  switch (shape.kind) {
    case 'point':
      return { type: 'point', coordinates: position(shape.point) };
    case 'multi_point':
      return { type: 'multipoint', coordinates: positions(shape.points) };
    case 'line':
      return { type: 'linestring', coordinates: positions(shape.points) };
    case 'multi_line':
      return { type: 'multilinestring', coordinates: shape.lines.map(positions) };
    case 'polygon':
      return { type: 'polygon', coordinates: rings(shape.rings) };
    case 'multi_polygon':
      return { type: 'multipolygon', coordinates: shape.polygons.map(rings) };
    case 'envelope': {
      const { west, north, east, south } = shape;
      return {
        type: 'envelope',
        coordinates: [
          [west, north],
          [east, south],
        ],
      };
    }
    case 'circle': {
      const { center, radiusMetres } = shape;
      return { type: 'circle', coordinates: position(center), radius: `${radiusMetres}m` };
    }
    case 'collection':
      return { type: 'geometrycollection', geometries: shape.shapes.map(toGeoShape) };
  }
}

/** `geo_polygon`, which current Elasticsearch versions lack, as the body of a `geo_shape` on its field. */
export function toGeoPolygon(points: readonly Point[]): JsonObject {
  const shape = { type: 'polygon', coordinates: rings([points]) };
  return { shape, relation: 'intersects' };
}

function position({ lat, lon }: Point): JsonValue {
  return [lon, lat];
}

function positions(points: readonly Point[]): JsonValue {
  return points.map(position);
}

function rings([outer = [], ...holes]: PolygonRings): JsonValue {
  return [shortWayRound(outer), ...holes].map(positions);
}
