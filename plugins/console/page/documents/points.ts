import { isFields } from './columns.js';

/** A place on the earth, in degrees. */
export interface Point {
  readonly lat: number;
  readonly lon: number;
}

const BASE32 = '0123456789bcdefghjkmnpqrstuvwxyz';

/** The points of a value of a `geo_point` field: one, a list, or none; in each form that the server stores. */
export function pointsOf(value: unknown): readonly Point[] {
  if (Array.isArray(value)) {
    const [lon, lat] = value as readonly unknown[];
    if (typeof lon === 'number' && typeof lat === 'number') return valid(lat, lon);
    return value.flatMap((item: unknown) => (Array.isArray(item) || isFields(item) ? pointsOf(item) : ofText(item)));
  }
  if (!isFields(value)) return ofText(value);
  const { lat, lon, coordinates } = value;
  return coordinates === undefined ? valid(Number(lat), Number(lon)) : pointsOf(coordinates);
}

function ofText(value: unknown): readonly Point[] {
  if (typeof value !== 'string') return [];
  const numbers = value.match(/[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g)?.map(Number) ?? [];
  const [first = NaN, second = NaN] = numbers;
  if (/^\s*POINT\s*\(/i.test(value)) return valid(second, first);
  return value.includes(',') ? valid(first, second) : ofGeohash(value);
}

/** The middle of its cell. */
function ofGeohash(text: string): readonly Point[] {
  const [lon, lat] = [
    { from: -180, to: 180 },
    { from: -90, to: 90 },
  ];
  let isLon = true;
  for (const character of text.toLowerCase()) {
    const bits = BASE32.indexOf(character);
    if (bits < 0) return [];
    for (let bit = 16; bit > 0; bit >>= 1) {
      const side = isLon ? lon : lat;
      const middle = (side.from + side.to) / 2;
      if ((bits & bit) === 0) side.to = middle;
      else side.from = middle;
      isLon = !isLon;
    }
  }
  return text === '' ? [] : valid((lat.from + lat.to) / 2, (lon.from + lon.to) / 2);
}

function valid(lat: number, lon: number): readonly Point[] {
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? [{ lat, lon }] : [];
}
