import { encodeGeohash } from '@millrace/language';
import { pointOfScore } from './GeoCell.js';

/** The standard geohash of a score: of eleven letters the 52 bits of a score fill ten, and the last one is always 0. */
export function geohashText(score: number): string {
  const { latitude, longitude } = pointOfScore(score);
  return `${encodeGeohash({ lat: latitude, lon: longitude }, 10)}0`;
}
