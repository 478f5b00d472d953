import { isJsonObject, isSamePoint, own, type Point, type JsonObject, type JsonValue } from '@millrace/language';
import { parseDistance } from './parsePoint.js';
import { parseWkt } from './parseWkt.js';

/** The rings of one polygon: the outer border first, then its holes; each ring is closed (first point = last point). */
export type PolygonRings = readonly (readonly Point[])[];

/** A geometry of `geo_shape` fields and queries, parsed from GeoJSON, `envelope`, `circle` or WKT (SEARCH-20). */
export type Shape =
  | { readonly kind: 'point'; readonly point: Point }
  | { readonly kind: 'multi_point'; readonly points: readonly Point[] }
  | { readonly kind: 'line'; readonly points: readonly Point[] }
  | { readonly kind: 'multi_line'; readonly lines: readonly (readonly Point[])[] }
  | { readonly kind: 'polygon'; readonly rings: PolygonRings }
  | { readonly kind: 'multi_polygon'; readonly polygons: readonly PolygonRings[] }
  | {
      /** Crosses the date line when `west` > `east`. */
      readonly kind: 'envelope';
      readonly north: number;
      readonly west: number;
      readonly south: number;
      readonly east: number;
    }
  | { readonly kind: 'circle'; readonly center: Point; readonly radiusMetres: number }
  | { readonly kind: 'collection'; readonly shapes: readonly Shape[] };

const MAX_COLLECTION_DEPTH = 10;

/**
 * Parses GeoJSON (any case of the type), `envelope`, `circle` or WKT.
 * @returns undefined if it is none of these, out of range, or a ring is open or has fewer than four points
 */
export function parseShape(value: JsonValue, depth = 0): Shape | undefined {
  if (typeof value === 'string') return parseWkt(value);
  if (!isJsonObject(value) || depth > MAX_COLLECTION_DEPTH) return undefined;
  const type = own(value, 'type');
  if (typeof type !== 'string') return undefined;
  const coordinates = own(value, 'coordinates') ?? null;
  switch (type.toLowerCase()) {
    case 'point':
      return map(toPoint(coordinates), (point) => ({ kind: 'point', point }));
    case 'multipoint':
      return map(toPoints(coordinates, 1), (points) => ({ kind: 'multi_point', points }));
    case 'linestring':
      return map(toPoints(coordinates, 2), (points) => ({ kind: 'line', points }));
    case 'multilinestring':
      return map(
        toList(coordinates, (item) => toPoints(item, 2)),
        (lines) => ({ kind: 'multi_line', lines }),
      );
    case 'polygon':
      return map(toRings(coordinates), (rings) => ({ kind: 'polygon', rings }));
    case 'multipolygon':
      return map(toList(coordinates, toRings), (polygons) => ({ kind: 'multi_polygon', polygons }));
    case 'envelope':
      return map(toPoints(coordinates, 2), ([a, b]) => (a && b ? toEnvelope(a, b) : undefined));
    case 'circle':
      return readCircle(value, coordinates);
    case 'geometrycollection':
      return map(
        toList(own(value, 'geometries') ?? null, (item) => parseShape(item, depth + 1)),
        (shapes) => ({ kind: 'collection', shapes }),
      );
    default:
      return undefined;
  }
}

/** Upper left and lower right corner. */
export function toEnvelope(upperLeft: Point, lowerRight: Point): Shape | undefined {
  if (upperLeft.lat < lowerRight.lat) return undefined;
  return {
    kind: 'envelope',
    north: upperLeft.lat,
    west: upperLeft.lon,
    south: lowerRight.lat,
    east: lowerRight.lon,
  };
}

function readCircle(value: JsonObject, coordinates: JsonValue): Shape | undefined {
  const center = toPoint(coordinates);
  const radiusMetres = parseDistance(own(value, 'radius') ?? null);
  if (center === undefined || radiusMetres === undefined || radiusMetres <= 0) return undefined;
  return { kind: 'circle', center, radiusMetres };
}

function map<In>(value: In | undefined, to: (value: In) => Shape | undefined): Shape | undefined {
  return value === undefined ? undefined : to(value);
}

function toList<Item>(value: JsonValue, read: (item: JsonValue) => Item | undefined): readonly Item[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const list: Item[] = [];
  for (const item of value as readonly JsonValue[]) {
    const read1 = read(item);
    if (read1 === undefined) return undefined;
    list.push(read1);
  }
  return list;
}

function toPoint(value: JsonValue): Point | undefined {
  if (!Array.isArray(value) || value.length < 2 || value.length > 3) return undefined;
  const [lon, lat] = value as readonly JsonValue[];
  if (typeof lon !== 'number' || typeof lat !== 'number') return undefined;
  return isInRange(lat, lon) ? { lat, lon } : undefined;
}

export function isInRange(lat: number, lon: number): boolean {
  return lat >= -90 && lat <= 90 && lon >= -180 && lon <= 180;
}

function toPoints(value: JsonValue, minCount: number): readonly Point[] | undefined {
  const points = toList(value, toPoint);
  return points === undefined || points.length < minCount ? undefined : points;
}

function toRings(value: JsonValue): PolygonRings | undefined {
  return toList(value, (ring) => {
    const points = toPoints(ring, 4);
    return points !== undefined && isRing(points) ? points : undefined;
  });
}

/** Closed, with at least three different corners. */
export function isRing(points: readonly Point[]): boolean {
  const [first, last] = [points[0], points.at(-1)];
  return points.length >= 4 && first !== undefined && last !== undefined && isSamePoint(first, last);
}
