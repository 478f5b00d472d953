import type { Point } from './Point.js';

const ALPHABET = '0123456789bcdefghjkmnpqrstuvwxyz';
const SHAPE = /^[0-9b-hjkmnp-z]{4,12}$/;

/** The centre of a geohash cell: each character holds five halvings, longitude first, in turn. */
export function decodeGeohash(hash: string): Point | undefined {
  if (!SHAPE.test(hash)) return undefined;
  const low = [-180, -90];
  const high = [180, 90];
  let axis = 0;
  for (const character of hash) {
    const bits = ALPHABET.indexOf(character);
    for (let mask = 16; mask > 0; mask >>= 1) {
      const middle = ((low[axis] ?? 0) + (high[axis] ?? 0)) / 2;
      (bits & mask ? low : high)[axis] = middle;
      axis = 1 - axis;
    }
  }
  const centre = (of: 0 | 1) => ((low[of] ?? 0) + (high[of] ?? 0)) / 2;
  return { lat: centre(1), lon: centre(0) };
}
