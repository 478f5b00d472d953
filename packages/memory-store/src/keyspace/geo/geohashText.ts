import { encodeGeohash } from '@millrace/language';
import { pointOfScore } from './GeoCell.js';

/** The standard geohash of a score: of eleven letters the 52 bits of a score fill ten, and the last one is always 0. */
export function geohashText(score: number): string {
  const { latitude, longitude } = pointOfScore(score);
  // As in Redis, the eastern edge is the western one.
  const lon = longitude < 180 ? longitude : -180;
  return `${encodeGeohash({ lat: latitude, lon }, 10)}0`;
}
