import type { JsonObject, JsonValue, Point } from '@millrace/language';
import type { PolygonRings, Shape } from '@millrace/query';

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

/**
 * Orders a ring so that Elasticsearch draws its edges the short way round, including across the date line. For a ring
 * that spans more than half the earth Elasticsearch uses the orientation: clockwise crosses the date line,
 * counterclockwise is as wide as its longitudes say. A span of exactly 360° never counts as crossing, so -180 is
 * written as 180.
 */
function shortWayRound(ring: readonly Point[]): readonly Point[] {
  const lons = ring.map(({ lon }) => lon);
  if (Math.max(...lons) - Math.min(...lons) <= 180) return ring;
  const isOver = lons.some((lon, at) => at > 0 && Math.abs(lon - (lons[at - 1] as number)) > 180);
  const turned = isOver === isClockwise(ring) ? ring : ring.toReversed();
  return isOver ? turned.map(({ lat, lon }) => ({ lat, lon: lon === -180 ? 180 : lon })) : turned;
}

/** Tests the sign of its area on the plane of longitude and latitude. */
function isClockwise(ring: readonly Point[]): boolean {
  let area = 0;
  for (const [at, { lat, lon }] of ring.entries()) {
    const next = ring[(at + 1) % ring.length] as Point;
    area += lon * next.lat - next.lon * lat;
  }
  return area < 0;
}
