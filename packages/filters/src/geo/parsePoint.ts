import { decodeGeohash, type GeohashCell, isJsonObject, type JsonValue, type Point } from '@millrace/language';

/** The notation of a point (FILTER-20). */
export type PointForm = 'object' | 'array' | 'text' | 'geohash';

/** A point and the notation it was read from. */
export interface WrittenPoint {
  readonly point: Point;
  readonly form: PointForm;
}

// Longer strings are not points; this bounds the work on a huge string.
const MAX_TEXT_LENGTH = 128;
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;
const GEOHASH = /^[0-9b-hjkmnp-z]{4,12}$/;
const PAIR = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)),\s*([+-]?(?:\d+(?:\.\d*)?|\.\d+))$/;

/**
 * Parses any notation of a point; arrays and strings are [lat, lon].
 * @returns undefined if it is not a point or out of range
 */
export function parsePoint(value: JsonValue | undefined): Point | undefined {
  return parseWrittenPoint(value)?.point;
}

/** As `parsePoint`, and also returns the notation. */
export function parseWrittenPoint(value: JsonValue | undefined): WrittenPoint | undefined {
  if (!isJsonObject(value)) return parseBare(value);
  for (const wrapper of ['latLon', 'lat_lon']) {
    if (Object.hasOwn(value, wrapper)) {
      const inner = value[wrapper];
      return isJsonObject(inner) ? fromNames(inner) : parseBare(inner);
    }
  }
  return fromNames(value);
}

/** A side or coordinate: a number or a numeric string. */
export function parseDegrees(value: JsonValue | undefined): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.length > MAX_TEXT_LENGTH) return undefined;
  return DECIMAL.test(value) ? Number(value) : undefined;
}

function fromNames(value: { readonly [key: string]: JsonValue }): WrittenPoint | undefined {
  if (!Object.hasOwn(value, 'lat') || !Object.hasOwn(value, 'lon')) return undefined;
  return fromPair(value.lat, value.lon, 'object');
}

function parseBare(value: JsonValue | undefined): WrittenPoint | undefined {
  if (Array.isArray(value)) {
    const [lat, lon] = value as readonly JsonValue[];
    return value.length === 2 ? fromPair(lat, lon, 'array') : undefined;
  }
  if (typeof value !== 'string' || value.length > MAX_TEXT_LENGTH) return undefined;
  if (!value.includes(',')) {
    const cell = GEOHASH.test(value) ? decodeGeohash(value) : undefined;
    return cell && { point: centreOf(cell), form: 'geohash' };
  }
  const pair = PAIR.exec(value);
  return pair === null ? undefined : within(Number(pair[1]), Number(pair[2]), 'text');
}

function fromPair(
  latitude: JsonValue | undefined,
  longitude: JsonValue | undefined,
  form: PointForm,
): WrittenPoint | undefined {
  const lat = parseDegrees(latitude);
  const lon = parseDegrees(longitude);
  return lat === undefined || lon === undefined ? undefined : within(lat, lon, form);
}

function within(lat: number, lon: number, form: PointForm): WrittenPoint | undefined {
  if (Math.abs(lat) > 90 || Math.abs(lon) > 180) return undefined;
  // `+ 0` turns −0 into the equal 0.
  return { point: { lat: lat + 0, lon: lon + 0 }, form };
}

function centreOf({ south, north, west, east }: GeohashCell): Point {
  return { lat: (south + north) / 2, lon: (west + east) / 2 };
}
