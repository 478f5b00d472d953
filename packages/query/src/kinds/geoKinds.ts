import { isSamePoint, type JsonValue, own, type Point } from '@millrace/language';
import { matchNone } from './matchNone.js';
import type { QueryBinder } from './QueryBinder.js';
import { forbidden, invalid } from '../errors.js';
import { parseDistance, type GeohashCorner } from '../geo/parsePoint.js';
import { parseShape, type Shape } from '../geo/parseShape.js';
import { quote } from '../show.js';
import { Options } from '../parse/Options.js';
import { readFieldEntry } from '../parse/queryBase.js';
import { readDistanceType, readPoint } from '../parse/readPoint.js';
import type { MatchNoneQuery, OnField, QueryBase } from '../tree/Query.js';
import { ONE_FIELD, type QueryKinds } from './QueryKind.js';

/** Properties of the geographic queries. */
export interface GeoQueryBase extends QueryBase {
  readonly field: string;
  readonly ignoreUnmapped: boolean;
}
/** Points within a distance. */
export interface GeoDistanceQuery extends GeoQueryBase {
  readonly kind: 'geo_distance';
  readonly point: Point;
  readonly distanceMetres: number;
  readonly distanceType: 'arc' | 'plane';
}
/** Points in a box, borders inclusive. */
export interface GeoBoundingBoxQuery extends GeoQueryBase {
  readonly kind: 'geo_bounding_box';
  readonly top: number;
  /** Crosses the date line when `left` > `right`. */
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}
/** Points in a polygon. */
export interface GeoPolygonQuery extends GeoQueryBase {
  readonly kind: 'geo_polygon';
  /** At least three different points, closed (first = last). */
  readonly points: readonly Point[];
}
/** Shapes or points by their relation to a shape. */
export interface GeoShapeQuery extends GeoQueryBase {
  readonly kind: 'geo_shape';
  readonly shape: Shape;
  readonly relation: 'intersects' | 'disjoint' | 'within' | 'contains';
}

const VALIDATION_METHODS = ['strict', 'coerce', 'ignore_malformed'] as const;
const RELATIONS = ['intersects', 'disjoint', 'within', 'contains'] as const;
const MAX_POLYGON_POINTS = 10_000;

interface GeoOptions {
  readonly options: Options;
  readonly isLenient: boolean;
  readonly ignoreUnmapped: boolean;
}

function openGeo(value: JsonValue | undefined, path: string, construct: string): GeoOptions {
  const options = Options.from(value, path, construct);
  const method = options.choice('validation_method', VALIDATION_METHODS) ?? 'strict';
  return {
    options,
    isLenient: method !== 'strict',
    ignoreUnmapped: options.boolean('ignore_unmapped') ?? false,
  };
}

export function readDistance(options: Options, key: string): number | undefined {
  const value = options.raw(key);
  if (value === undefined) return undefined;
  return (
    parseDistance(value) ?? options.fail(key, 'metres or a length such as "12km" (m, km, cm, mm, mi, yd, ft, in, nmi)')
  );
}

function parseGeoDistance(value: JsonValue | undefined, path: string): GeoDistanceQuery {
  const { options, isLenient, ignoreUnmapped } = openGeo(value, path, 'geo_distance');
  const distanceMetres = readDistance(options, 'distance') ?? options.fail('distance', 'a length');
  const distanceType = readDistanceType(options);
  const entry = readFieldEntry(value, path, 'geo_distance', { options });
  if (!(distanceMetres > 0)) options.fail('distance', 'more than 0');
  return {
    kind: 'geo_distance',
    field: entry.field,
    point: readPoint(entry.value, entry.path, isLenient),
    distanceMetres,
    distanceType,
    ignoreUnmapped,
    ...entry.base,
  };
}

function parseGeoBoundingBox(value: JsonValue | undefined, path: string): GeoBoundingBoxQuery {
  const { options, isLenient, ignoreUnmapped } = openGeo(value, path, 'geo_bounding_box');
  options.drop('type');
  const entry = readFieldEntry(value, path, 'geo_bounding_box', { options });
  const box = readBox(Options.from(entry.value, entry.path, 'geo_bounding_box'), isLenient);
  return { kind: 'geo_bounding_box', field: entry.field, ...box, ignoreUnmapped, ...entry.base };
}

export interface Box {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** Corners, four sides or WKT. */
export function readBox(options: Options, isLenient: boolean): Box {
  const corner = (key: GeohashCorner): Point | undefined => {
    const given = options.raw(key);
    return given === undefined ? undefined : readPoint(given, `${options.path}.${key}`, isLenient, key);
  };
  const side = (key: string, limit: number) => options.number(key, { min: -limit, max: limit });
  const wkt = options.text('wkt');
  const [topLeft, bottomRight] = [corner('top_left'), corner('bottom_right')];
  const [topRight, bottomLeft] = [corner('top_right'), corner('bottom_left')];
  const [top, bottom] = [side('top', 90), side('bottom', 90)];
  const [left, right] = [side('left', 180), side('right', 180)];
  options.end();
  if (wkt !== undefined && Object.keys(options.source).length > 1)
    throw invalid(options.path, `Box at ${options.path} takes wkt or corners, not both`);
  const shape = wkt === undefined ? undefined : parseShape(wkt);
  if (wkt !== undefined && shape?.kind !== 'envelope') options.fail('wkt', 'BBOX (west, east, north, south)');
  const box: Partial<Box> =
    shape?.kind === 'envelope'
      ? { top: shape.north, left: shape.west, bottom: shape.south, right: shape.east }
      : definedSides({
          top: topLeft?.lat ?? topRight?.lat ?? top,
          left: topLeft?.lon ?? bottomLeft?.lon ?? left,
          bottom: bottomRight?.lat ?? bottomLeft?.lat ?? bottom,
          right: bottomRight?.lon ?? topRight?.lon ?? right,
        });
  return checkBox(box, options.path);
}

function definedSides(sides: { readonly [Side in keyof Box]: number | undefined }): Partial<Box> {
  return Object.fromEntries(Object.entries(sides).filter(([, side]) => side !== undefined));
}

function checkBox({ top, left, bottom, right }: Partial<Box>, path: string): Box {
  if (top === undefined || left === undefined || bottom === undefined || right === undefined) {
    throw invalid(
      path,
      `Box at ${path} needs two opposite corners (top_left, bottom_right), four sides (top, left, bottom, right) or wkt`,
    );
  }
  if (top < bottom) throw invalid(path, `Box at ${path} has its top (${top}) below its bottom (${bottom})`);
  return { top, left, bottom, right };
}

function parseGeoPolygon(value: JsonValue | undefined, path: string): GeoPolygonQuery {
  const { options, isLenient, ignoreUnmapped } = openGeo(value, path, 'geo_polygon');
  const entry = readFieldEntry(value, path, 'geo_polygon', { options });
  const inner = Options.from(entry.value, entry.path, 'geo_polygon');
  const list = inner.raw('points');
  inner.end();
  if (!Array.isArray(list) || list.length > MAX_POLYGON_POINTS) {
    return inner.fail('points', `a list of 3 to ${MAX_POLYGON_POINTS} points`);
  }
  const points = (list as readonly JsonValue[]).map((item, position) =>
    readPoint(item, `${entry.path}.points[${position}]`, isLenient),
  );
  const [first, last] = [points[0], points.at(-1)];
  if (first !== undefined && last !== undefined && !isSamePoint(first, last)) points.push(first);
  if (points.length < 4) inner.fail('points', 'a list of at least 3 different points');
  return { kind: 'geo_polygon', field: entry.field, points, ignoreUnmapped, ...entry.base };
}

function parseGeoShape(value: JsonValue | undefined, path: string): GeoShapeQuery {
  const { options, ignoreUnmapped } = openGeo(value, path, 'geo_shape');
  const entry = readFieldEntry(value, path, 'geo_shape', { options });
  const inner = Options.from(entry.value, entry.path, 'geo_shape');
  if (own(inner.source, 'indexed_shape') !== undefined) {
    throw forbidden(entry.path, `"indexed_shape" is not allowed at ${entry.path}`);
  }
  const relation = inner.choice('relation', RELATIONS) ?? 'intersects';
  const given = inner.raw('shape') ?? inner.fail('shape', 'GeoJSON or WKT');
  inner.end();
  const shape = parseShape(given) ?? inner.fail('shape', 'a valid GeoJSON shape, envelope, circle or WKT');
  return { kind: 'geo_shape', field: entry.field, shape, relation, ignoreUnmapped, ...entry.base };
}

type GeoQuery = GeoDistanceQuery | GeoBoundingBoxQuery | GeoPolygonQuery | GeoShapeQuery;

/** The queries by place. */
export const GEO_KINDS: QueryKinds<GeoQuery['kind']> = {
  geo_distance: {
    ...ONE_FIELD,
    parse: parseGeoDistance,
    bind: (query, binder) => onPlaces(query, binder, ['geo_point']),
    isUnscored: () => true,
  },
  geo_bounding_box: {
    ...ONE_FIELD,
    parse: parseGeoBoundingBox,
    bind: (query, binder) => onPlaces(query, binder, ['geo_point']),
    isUnscored: () => true,
  },
  geo_polygon: {
    ...ONE_FIELD,
    parse: parseGeoPolygon,
    bind: (query, binder) => onPlaces(query, binder, ['geo_point']),
    lookups: ({ points }) => 1 + points.length / 10,
    isUnscored: () => true,
  },
  geo_shape: {
    ...ONE_FIELD,
    parse: parseGeoShape,
    bind: (query, binder) => onPlaces(query, binder, ['geo_point', 'geo_shape']),
    // One per ten points of the shape.
    lookups: ({ shape }) => 1 + JSON.stringify(shape).length / 500,
    isScan: ({ mapped }) => mapped.type === 'geo_shape',
    isUnscored: () => true,
  },
};

function onPlaces<T extends GeoQuery>(
  query: T,
  binder: QueryBinder,
  types: readonly string[],
): (T & OnField) | MatchNoneQuery {
  const { kind, field, path } = query;
  const mapped = binder.searchedField(field, path);
  if (mapped === undefined) return matchNone(query);
  if (types.includes(mapped.type)) return { ...query, mapped };
  const expected = `${kind} at ${path} needs a ${types.join(' or ')} field`;
  throw invalid(path, `${expected}; ${quote(mapped.name)} is ${mapped.type}`);
}
