import type { JsonScalar, Point } from '@millrace/language';
import { hasHeight, parsePoint } from './parsePoint.js';

/** Parses an aggregation's `missing` for points: `"lat,lon"`, WKT or a geohash, which may also be given as a number. */
export function parseMissingPoint(missing: JsonScalar): Point | undefined {
  const text = String(missing);
  return hasHeight(text) ? undefined : parsePoint(text);
}
