import { cellNumber, cellOf, MAX_STEP, pointOfScore } from './GeoCell.js';

const ALPHABET = '0123456789bcdefghjkmnpqrstuvwxyz';
const LETTERS = 11;
const POLE_LATITUDE = 90;

/** The standard geohash of a score: eleven letters, of which 52 bits fill ten and a part of the last one. */
export function geohashText(score: number): string {
  const cell = cellOf(pointOfScore(score), MAX_STEP, POLE_LATITUDE);
  let bits = BigInt(cellNumber(cell)) >> 2n;
  let text = '0';
  for (let left = LETTERS - 1; left > 0; left--, bits >>= 5n)
    text = (ALPHABET[Number(bits & 31n)] ?? '') + text;
  return text;
}
