import type { Point } from './Point.js';

const ALPHABET = '0123456789bcdefghjkmnpqrstuvwxyz';
/** Characters of the longest geohash. */
export const MAX_GEOHASH_LENGTH = 12;

/** The cell of a geohash. */
export interface GeohashCell {
  readonly south: number;
  readonly north: number;
  readonly west: number;
  readonly east: number;
}

/**
 * The cell of a geohash of 1 to 12 characters in lower case; undefined for an invalid one. Each character holds five
 * halvings, alternating between longitude (first) and latitude. The bits of each axis are the number of the cell along
 * it; all sums and products here are exact.
 */
export function decodeGeohash(hash: string): GeohashCell | undefined {
  if (hash.length === 0 || hash.length > MAX_GEOHASH_LENGTH) return undefined;
  let [eastward, northward] = [0, 0];
  for (let i = 0; i < hash.length; i++) {
    const bits = ALPHABET.indexOf(hash.charAt(i));
    if (bits < 0) return undefined;
    const odd = ((bits >> 2) & 4) | ((bits >> 1) & 2) | (bits & 1);
    const even = ((bits >> 2) & 2) | ((bits >> 1) & 1);
    // Characters alternately begin with longitude and latitude, and have three bits of the axis they begin with.
    const isEastFirst = (i & 1) === 0;
    eastward = isEastFirst ? 8 * eastward + odd : 4 * eastward + even;
    northward = isEastFirst ? 4 * northward + even : 8 * northward + odd;
  }
  const bitCount = 5 * hash.length;
  const height = 180 / 2 ** (bitCount >> 1);
  const width = 360 / 2 ** (bitCount - (bitCount >> 1));
  return {
    south: northward * height - 90,
    north: (northward + 1) * height - 90,
    west: eastward * width - 180,
    east: (eastward + 1) * width - 180,
  };
}

/** The geohash of a place, `precision` characters long (1..12). */
export function encodeGeohash({ lat, lon }: Point, precision: number): string {
  let [south, north, west, east] = [-90, 90, -180, 180];
  let isLongitude = true;
  let hash = '';
  while (hash.length < precision) {
    let bits = 0;
    for (let count = 0; count < 5; count += 1) {
      bits <<= 1;
      const middle = isLongitude ? (west + east) / 2 : (south + north) / 2;
      const isUpper = (isLongitude ? lon : lat) >= middle;
      if (isUpper) bits |= 1;
      if (isLongitude) {
        if (isUpper) west = middle;
        else east = middle;
      } else if (isUpper) south = middle;
      else north = middle;
      isLongitude = !isLongitude;
    }
    hash += ALPHABET[bits] ?? '';
  }
  return hash;
}
