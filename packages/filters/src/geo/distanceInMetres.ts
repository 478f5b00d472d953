import type { Point } from './Point.js';

/** Radius of the sphere that all distances are measured on (FILTER-22). */
export const EARTH_RADIUS_METRES = 6_371_008.7714;
const RADIANS = Math.PI / 180;

/** Distance along the sphere, by the haversine formula (FILTER-22). */
export function distanceInMetres(a: Point, b: Point): number {
  const halfLat = Math.sin(((b.lat - a.lat) * RADIANS) / 2);
  const halfLon = Math.sin(((b.lon - a.lon) * RADIANS) / 2);
  const cosines = Math.cos(a.lat * RADIANS) * Math.cos(b.lat * RADIANS);
  const haversine = halfLat * halfLat + cosines * halfLon * halfLon;
  return 2 * EARTH_RADIUS_METRES * Math.asin(Math.min(1, Math.sqrt(haversine)));
}
