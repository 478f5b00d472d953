import type { Point } from './Point.js';

const ALPHABET = '0123456789bcdefghjkmnpqrstuvwxyz';
const SHAPE = /^[0-9b-hjkmnp-z]{4,12}$/;

/**
 * The centre of a geohash cell. Each character holds five halvings, alternating between longitude (first) and latitude.
 * The bits of each axis are the number of the cell along it; all sums and products here are exact.
 */
export function decodeGeohash(hash: string): Point | undefined {
  if (!SHAPE.test(hash)) return undefined;
  let [eastward, northward] = [0, 0];
  for (let i = 0; i < hash.length; i++) {
    const bits = ALPHABET.indexOf(hash[i] as string);
    const odd = ((bits >> 2) & 4) | ((bits >> 1) & 2) | (bits & 1);
    const even = ((bits >> 2) & 2) | ((bits >> 1) & 1);
    // Characters alternately begin with longitude and latitude, and have three bits of the axis they begin with.
    const isEastFirst = (i & 1) === 0;
    eastward = isEastFirst ? 8 * eastward + odd : 4 * eastward + even;
    northward = isEastFirst ? 4 * northward + even : 8 * northward + odd;
  }
  const bitCount = 5 * hash.length;
  const centre = (number: number, bits: number, range: number) =>
    ((number + 0.5) * range) / 2 ** bits - range / 2;
  return {
    lat: centre(northward, bitCount >> 1, 180),
    lon: centre(eastward, bitCount - (bitCount >> 1), 360),
  };
}
