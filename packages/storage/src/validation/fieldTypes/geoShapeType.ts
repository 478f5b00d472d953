/*
 * GeoJSON-like shapes (VALID-23): [lon, lat] order. The depth of nested collections is limited, so that a deep one
 * can't overflow the stack.
 */
import { parseDistance } from '@millrace/filters';
import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';
import { own } from '@millrace/language';
import type { FieldType, OptionReader } from './OptionReader.js';

type Reason = string | undefined;
type Check = (coordinates: JsonValue | undefined) => Reason;

const MAX_NESTING = 32;
const KEYS = ['type', 'coordinates', 'radius', 'orientation', 'geometries'];
const ORIENTATIONS = ['right', 'ccw', 'counterclockwise', 'left', 'cw', 'clockwise'];
const ORIENTED = ['polygon', 'multipolygon'];

const checkLine: Check = (line) => checkList(line, 2, 'a linestring needs 2 or more points', checkPosition);
const checkPolygon: Check = (rings) => checkList(rings, 1, 'a polygon needs 1 or more rings', checkRing);

const COORDINATES: ReadonlyMap<string, Check> = new Map([
  ['point', checkPosition],
  ['linestring', checkLine],
  ['polygon', checkPolygon],
  ['multipoint', (list: JsonValue | undefined) => checkList(list, 1, 'a multipoint needs points', checkPosition)],
  ['multilinestring', (list: JsonValue | undefined) => checkList(list, 1, 'a multilinestring needs lines', checkLine)],
  ['multipolygon', (list: JsonValue | undefined) => checkList(list, 1, 'a multipolygon needs polygons', checkPolygon)],
  ['envelope', checkEnvelope],
  ['circle', checkPosition],
]);
const SHAPES = [...COORDINATES.keys(), 'geometrycollection'];

/** `geo_shape` */
export function geoShapeType(options: OptionReader): FieldType {
  const given = options.texts('shapeTypes', (name) => SHAPES.includes(name), 'names of shapes');
  const allowed = new Set(given ?? SHAPES);
  return {
    check: (value) => {
      const reason = checkShape(value, allowed, 0);
      return reason === undefined ? undefined : `Invalid geo shape: ${reason}.`;
    },
  };
}

function checkShape(shape: JsonValue | undefined, allowed: ReadonlySet<string>, depth: number): Reason {
  if (!isJsonObject(shape)) return 'expected an object';
  if (depth > MAX_NESTING) return 'collections are nested too deep';
  if (Object.keys(shape).some((key) => !KEYS.includes(key))) return `only ${KEYS.join(', ')} are allowed`;
  const type = own(shape, 'type');
  if (typeof type !== 'string' || !allowed.has(type)) return `the type must be one of ${[...allowed].join(', ')}`;
  const misplaced = checkPlaces(shape, type);
  if (misplaced !== undefined) return misplaced;
  if (type !== 'geometrycollection') {
    return COORDINATES.get(type)?.(own(shape, 'coordinates'));
  }
  return checkList(shape.geometries, 0, 'a geometrycollection needs a list of geometries', (each) =>
    checkShape(each, allowed, depth + 1),
  );
}

function checkPlaces(shape: JsonObject, type: string): Reason {
  const has = (key: string) => Object.hasOwn(shape, key);
  const isCollection = type === 'geometrycollection';
  if (has('geometries') !== isCollection) {
    return isCollection ? 'geometries is missing' : 'geometries belongs to a geometrycollection';
  }
  if (isCollection && has('coordinates')) return 'a geometrycollection has no coordinates';
  if (has('orientation')) {
    if (!ORIENTED.includes(type)) return 'orientation belongs to polygon and multipolygon';
    const { orientation } = shape;
    const isKnown = typeof orientation === 'string' && ORIENTATIONS.includes(orientation);
    if (!isKnown) return `orientation must be one of ${ORIENTATIONS.join(', ')}`;
  }
  if (has('radius') !== (type === 'circle')) {
    return type === 'circle' ? 'a circle needs a radius' : 'radius belongs to a circle';
  }
  return type === 'circle' && !isRadius(shape.radius) ? 'the radius is no positive distance' : undefined;
}

function isRadius(radius: JsonValue | undefined): boolean {
  const metres = typeof radius === 'string' ? parseDistance(radius) : radius;
  return typeof metres === 'number' && metres > 0;
}

function checkPosition(position: JsonValue | undefined): Reason {
  if (!Array.isArray(position) || position.length !== 2) return 'expected [lon, lat]';
  const [lon, lat] = position as readonly JsonValue[];
  const isReal = typeof lon === 'number' && typeof lat === 'number';
  return isReal && Math.abs(lon) <= 180 && Math.abs(lat) <= 90
    ? undefined
    : 'expected [lon, lat], longitude -180 to 180, latitude -90 to 90';
}

function checkRing(ring: JsonValue | undefined): Reason {
  const reason = checkList(ring, 4, 'a ring needs 4 or more points', checkPosition);
  if (reason !== undefined) return reason;
  const positions = ring as readonly (readonly number[])[];
  const [first, last] = [positions[0], positions[positions.length - 1]];
  const isClosed = first?.[0] === last?.[0] && first?.[1] === last?.[1];
  return isClosed ? undefined : 'the first and last point of a ring must be equal';
}

function checkEnvelope(corners: JsonValue | undefined): Reason {
  if (!Array.isArray(corners) || corners.length !== 2) return 'an envelope needs 2 points';
  return checkList(corners as readonly JsonValue[], 2, 'an envelope needs 2 points', checkPosition);
}

function checkList(list: JsonValue | undefined, least: number, message: string, check: Check): Reason {
  if (!Array.isArray(list) || list.length < least) return message;
  for (const each of list as readonly JsonValue[]) {
    const reason = check(each);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
