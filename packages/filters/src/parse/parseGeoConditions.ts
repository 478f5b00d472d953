import { isJsonObject, isSamePoint, own, type JsonObject, type JsonValue, type Point } from '@millrace/language';
import type { Condition } from '../Filter.js';
import type { Box } from '../isInArea.js';
import { parseDistance } from '../geo/parseDistance.js';
import { parseDegrees, parsePoint, parseWrittenPoint, type WrittenPoint } from '../geo/parsePoint.js';
import { show } from '../show.js';
import { assertKeys } from './parseConditions.js';
import { excess, refusal, type ParseContext } from './ParseContext.js';
import { readField } from './readField.js';

const SIDES = ['top', 'left', 'bottom', 'right'];
const TOP_LEFT = ['topLeft', 'top_left'];
const BOTTOM_RIGHT = ['bottomRight', 'bottom_right'];
const EXPECTED_POINT =
  'expected a point such as {"lat": 43.6, "lon": 3.9}, [lat, lon], "lat, lon" or a geohash, latitude -90 to 90, longitude -180 to 180';

/** `{<field>: box}` */
export function parseGeoBoundingBox(context: ParseContext, argument: JsonValue): Condition {
  const { field, value } = readField(context, argument);
  if (!isJsonObject(value)) {
    throw refusal(context, 'expected a box {top, left, bottom, right} or two corners', field);
  }
  const hasSides = SIDES.some((side) => Object.hasOwn(value, side));
  const box = hasSides ? readSides(context, value, field) : readCorners(context, value, field);
  if (box.top < box.bottom) {
    const reason = 'top is below bottom; remember that the order is [lat, lon]';
    throw refusal(context, reason, field);
  }
  return { kind: 'geoBoundingBox', field, box };
}

/** `{<field>: point, distance: "…"}` */
export function parseGeoDistance(context: ParseContext, argument: JsonValue): Condition {
  const { field, value, rest } = readField(context, argument, ['distance']);
  const centre = readPoint(context, value, field);
  const toMetres = readDistance(context, rest, 'distance', field);
  return { kind: 'geoDistance', field, centre, toMetres };
}

/** `{<field>: point, from: "…", to: "…"}` */
export function parseGeoDistanceRange(context: ParseContext, argument: JsonValue): Condition {
  const { field, value, rest } = readField(context, argument, ['from', 'to']);
  const centre = readPoint(context, value, field);
  const fromMetres = readDistance(context, rest, 'from', field);
  const toMetres = readDistance(context, rest, 'to', field);
  if (fromMetres >= toMetres) throw refusal(context, '"from" must be below "to"', field);
  return { kind: 'geoDistance', field, centre, fromMetres, toMetres };
}

/** `{<field>: {points: [point, …]}}` */
export function parseGeoPolygon(context: ParseContext, argument: JsonValue): Condition {
  const { field, value } = readField(context, argument);
  const given = isJsonObject(value) ? own(value, 'points') : undefined;
  if (!isJsonObject(value) || !Array.isArray(given)) {
    throw refusal(context, 'expected {points: [point, …]}', field);
  }
  assertKeys(context, value, ['points'], field);
  const limit = context.limits.polygonPoints;
  if (given.length > limit) {
    throw excess(context, `too many points: ${given.length}, the maximum is ${limit}`, field);
  }
  const points = (given as readonly JsonValue[]).map((each) => readPoint(context, each, field));
  const [first, last] = [points[0], points[points.length - 1]];
  if (points.length > 1 && first && last && isSamePoint(first, last)) points.pop();
  if (!hasThreePlaces(points)) {
    throw refusal(context, 'a polygon needs at least 3 distinct points', field);
  }
  return { kind: 'geoPolygon', field, points };
}

function hasThreePlaces(points: readonly Point[]): boolean {
  const [first, ...others] = points;
  const rest = others.filter((point) => first && !isSamePoint(point, first));
  return rest.some((point) => rest[0] && !isSamePoint(point, rest[0]));
}

function readSides(context: ParseContext, value: JsonObject, field: string): Box {
  assertKeys(context, value, SIDES, field);
  const side = (name: string, limit: number) => {
    const given = own(value, name);
    const degrees = parseDegrees(given);
    if (degrees !== undefined && Math.abs(degrees) <= limit) return degrees + 0;
    const reason = `side "${name}" must be a number from -${limit} to ${limit}, got ${show(given)}`;
    throw refusal(context, reason, field);
  };
  return {
    top: side('top', 90),
    left: side('left', 180),
    bottom: side('bottom', 90),
    right: side('right', 180),
  };
}

function readCorners(context: ParseContext, value: JsonObject, field: string): Box {
  assertKeys(context, value, [...TOP_LEFT, ...BOTTOM_RIGHT], field);
  const topLeft = readCorner(context, value, field, TOP_LEFT);
  const bottomRight = readCorner(context, value, field, BOTTOM_RIGHT);
  if (topLeft.form !== bottomRight.form) {
    throw refusal(context, 'write both corners in the same form', field);
  }
  const { lat: top, lon: left } = topLeft.point;
  const { lat: bottom, lon: right } = bottomRight.point;
  return { top, left, bottom, right };
}

function readCorner(context: ParseContext, value: JsonObject, field: string, names: readonly string[]): WrittenPoint {
  const given = names.filter((name) => Object.hasOwn(value, name));
  const [name] = given;
  if (name === undefined || given.length > 1) {
    throw refusal(context, `expected one corner "${names.join('" or "')}"`, field);
  }
  const corner = parseWrittenPoint(value[name]);
  if (corner !== undefined) return corner;
  throw refusal(context, `corner "${name}": ${EXPECTED_POINT}, got ${show(value[name])}`, field);
}

function readPoint(context: ParseContext, value: JsonValue, field: string): Point {
  const point = parsePoint(value);
  if (point !== undefined) return point;
  throw refusal(context, `${EXPECTED_POINT}, got ${show(value)}`, field);
}

function readDistance(context: ParseContext, argument: JsonObject, name: string, field: string): number {
  const given = own(argument, name);
  const metres = typeof given === 'string' ? parseDistance(given) : undefined;
  if (metres !== undefined) return metres;
  const reason = `"${name}" must be a distance string such as "10 km", got ${show(given)}`;
  throw refusal(context, reason, field);
}
