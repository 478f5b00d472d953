import type { JsonScalar } from '../tree/Json.js';
import { parsePoint } from './parsePoint.js';
import type { Point } from './Point.js';

/** True for a height behind latitude and longitude, or behind those of WKT. */
const HEIGHT = /,.*,|\(\s*\S+\s+\S+\s+\S/;

/** What an aggregation's `missing` says of points: `"lat,lon"`, WKT or a geohash, of which a number may be one as well. */
export function parseMissingPoint(missing: JsonScalar): Point | undefined {
  const text = String(missing);
  return HEIGHT.test(text) ? undefined : parsePoint(text);
}
