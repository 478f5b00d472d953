import {
  decodeGeohash,
  isJsonObject,
  own,
  metresPerUnit,
  type JsonObject,
  type JsonValue,
  type Point,
} from '@millrace/language';

const NUMBER = '[+-]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][+-]?\\d+)?';
const PAIR = new RegExp(`^\\s*(${NUMBER})\\s*,\\s*(${NUMBER})\\s*(?:,\\s*${NUMBER}\\s*)?$`);
const WKT = new RegExp(`^\\s*POINT\\s*\\(\\s*(${NUMBER})\\s+(${NUMBER})(?:\\s+${NUMBER})?\\s*\\)\\s*$`, 'i');
const DECIMAL = new RegExp(`^\\s*${NUMBER}\\s*$`);
const MAX_TEXT_LENGTH = 200;

/** True for a height after latitude and longitude, or after the coordinates of WKT. */
const HEIGHT = /,.*,|\(\s*\S+\s+\S+\s+\S/;

/** Whether the string of a point contains a third number. */
export function hasHeight(text: string): boolean {
  return text.length <= MAX_TEXT_LENGTH && HEIGHT.test(text);
}

/** Whether an object has only keys of a point; true for other values. */
export function hasKeysOfPoint(value: JsonValue): boolean {
  if (!isJsonObject(value)) return true;
  const allowed = own(value, 'type') === undefined ? /^(lat|lon|z|geohash)$/ : /^(type|coordinates)$/;
  return Object.keys(value).every((key) => allowed.test(key));
}

/** Whether a point has a third number, its height. */
export function hasThirdNumber(value: JsonValue): boolean {
  if (typeof value === 'string') return hasHeight(value);
  if (Array.isArray(value)) return value.length > 2;
  if (!isJsonObject(value)) return false;
  const coordinates = own(value, 'coordinates');
  return own(value, 'z') !== undefined || (Array.isArray(coordinates) && coordinates.length > 2);
}

/** A corner of the cell of a geohash. */
export type GeohashCorner = 'bottom_left' | 'bottom_right' | 'top_left' | 'top_right';

interface PointOptions {
  /** The point that a geohash represents; bottom left by default, as in Elasticsearch. */
  readonly corner?: GeohashCorner;
  /** Normalizes places out of range instead of refusing them. */
  readonly isLenient?: boolean;
}

/**
 * Parses a point in any form of SEARCH-25: `{lat, lon}`, `"lat,lon"`, `[lon, lat]`, geohash, WKT, GeoJSON.
 * @returns undefined if it is none of these or out of range
 */
export function parsePoint(value: JsonValue, options: PointOptions = {}): Point | undefined {
  const pair = readPair(value, options.corner ?? 'bottom_left');
  if (pair === undefined) return undefined;
  const { lat, lon } = pair;
  if (lat >= -90 && lat <= 90 && lon >= -180 && lon <= 180) return pair;
  return options.isLenient === true ? normalise(pair) : undefined;
}

function readPair(value: JsonValue, corner: GeohashCorner): Point | undefined {
  if (typeof value === 'string') return readText(value, corner);
  if (Array.isArray(value)) return readArray(value);
  return isJsonObject(value) ? readObject(value, corner) : undefined;
}

function readText(text: string, corner: GeohashCorner): Point | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  const pair = PAIR.exec(text);
  if (pair !== null) return { lat: Number(pair[1]), lon: Number(pair[2]) };
  const wkt = WKT.exec(text);
  if (wkt !== null) return { lat: Number(wkt[2]), lon: Number(wkt[1]) };
  const cell = decodeGeohash(text.toLowerCase());
  if (cell === undefined) return undefined;
  return {
    lat: corner.startsWith('top') ? cell.north : cell.south,
    lon: corner.endsWith('left') ? cell.west : cell.east,
  };
}

function readArray(list: readonly JsonValue[]): Point | undefined {
  if (list.length < 2 || list.length > 3) return undefined;
  const [lon, lat] = [coordinate(list[0]), coordinate(list[1])];
  return lon === undefined || lat === undefined ? undefined : { lat, lon };
}

function readObject(object: JsonObject, corner: GeohashCorner): Point | undefined {
  const type = own(object, 'type');
  if (typeof type === 'string' && type.toLowerCase() === 'point') {
    const coordinates = own(object, 'coordinates');
    return Array.isArray(coordinates) ? readArray(coordinates) : undefined;
  }
  const geohash = own(object, 'geohash');
  if (typeof geohash === 'string') return readText(geohash, corner);
  const [lat, lon] = [coordinate(own(object, 'lat')), coordinate(own(object, 'lon'))];
  return lat === undefined || lon === undefined ? undefined : { lat, lon };
}

function coordinate(value: JsonValue | undefined): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  return typeof value === 'string' && value.length < 64 && DECIMAL.test(value) ? Number(value) : undefined;
}

/** Wraps over the poles and around the earth as often as needed. */
function normalise({ lat, lon }: Point): Point {
  const turned = ((((lat + 180) % 360) + 360) % 360) - 180;
  const isOverPole = turned > 90 || turned < -90;
  const newLat = isOverPole ? (turned > 0 ? 180 - turned : -180 - turned) : turned;
  const newLon = ((((lon + (isOverPole ? 180 : 0) + 180) % 360) + 360) % 360) - 180;
  return { lat: newLat, lon: newLon === -180 ? 180 : newLon };
}

/** Parses metres (a number or numeric string) or a length with a unit; undefined if it is neither or negative. */
export function parseDistance(value: JsonValue): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value : undefined;
  if (typeof value !== 'string' || value.length > 64) return undefined;
  const match = /^\s*(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)\s*([A-Za-z]*)\s*$/.exec(value);
  const factor = metresPerUnit(match?.[2] === '' ? 'm' : (match?.[2] ?? '?'));
  if (match === null || factor === undefined) return undefined;
  const metres = Number(match[1]) * factor;
  return Number.isFinite(metres) ? metres : undefined;
}
