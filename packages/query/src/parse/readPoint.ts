import type { JsonValue, Point } from '@millrace/language';
import { invalid } from '../errors.js';
import { hasKeysOfPoint, hasThirdNumber, parsePoint, type GeohashCorner } from '../geo/parsePoint.js';
import { show } from '../show.js';
import type { Options } from './Options.js';

const DISTANCE_TYPES = ['arc', 'plane', 'sloppy_arc'] as const;

/** A point of a request. @throws QueryError */
export function readPoint(
  value: JsonValue | undefined,
  path: string,
  isLenient = false,
  corner: GeohashCorner = 'bottom_left',
): Point {
  const isFit = value !== undefined && hasKeysOfPoint(value) && !hasThirdNumber(value);
  const point = isFit ? parsePoint(value, { isLenient, corner }) : undefined;
  if (point !== undefined) return point;
  throw invalid(
    path,
    `Point at ${path} must be {lat, lon}, "lat,lon", [lon, lat], a geohash, WKT or GeoJSON within ±90 and ±180, not ${show(value)}`,
  );
}

export function readDistanceType(options: Options): 'arc' | 'plane' {
  return options.choice('distance_type', DISTANCE_TYPES) === 'plane' ? 'plane' : 'arc';
}
