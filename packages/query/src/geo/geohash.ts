import type { Point } from './Point.js';

const ALPHABET = '0123456789bcdefghjkmnpqrstuvwxyz';
export const MAX_GEOHASH_LENGTH = 12;

/** The cell of a geohash. */
export interface GeohashCell {
  readonly south: number;
  readonly north: number;
  readonly west: number;
  readonly east: number;
}

/** The cell of a geohash of 1 to 12 characters; undefined for an invalid one. */
export function decodeGeohash(text: string): GeohashCell | undefined {
  if (text.length === 0 || text.length > MAX_GEOHASH_LENGTH) return undefined;
  let [south, north, west, east] = [-90, 90, -180, 180];
  let isLongitude = true;
  for (const character of text.toLowerCase()) {
    const bits = ALPHABET.indexOf(character);
    if (bits < 0) return undefined;
    for (let mask = 16; mask > 0; mask >>= 1) {
      const isUpper = (bits & mask) !== 0;
      if (isLongitude) {
        const middle = (west + east) / 2;
        if (isUpper) west = middle;
        else east = middle;
      } else {
        const middle = (south + north) / 2;
        if (isUpper) south = middle;
        else north = middle;
      }
      isLongitude = !isLongitude;
    }
  }
  return { south, north, west, east };
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
