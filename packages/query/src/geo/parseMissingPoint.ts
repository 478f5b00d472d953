import type { JsonScalar } from '../tree/Json.js';
import { hasHeight, parsePoint } from './parsePoint.js';
import type { Point } from './Point.js';

/** What an aggregation's `missing` says of points: `"lat,lon"`, WKT or a geohash, of which a number may be one as well. */
export function parseMissingPoint(missing: JsonScalar): Point | undefined {
  const text = String(missing);
  return hasHeight(text) ? undefined : parsePoint(text);
}
