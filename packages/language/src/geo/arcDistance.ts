import { RADIANS } from './RADIANS.js';
/** Mean radius of the earth, in metres: the sphere on which all distances are measured (SEARCH-25, FILTER-22). */
export const EARTH_RADIUS_METRES = 6_371_008.7714;

/** Length of the great circle arc between two points given in degrees, in metres, by the haversine formula. */
export function arcDistance(
  latA: number,
  lonA: number,
  latB: number,
  lonB: number,
  radius = EARTH_RADIUS_METRES,
): number {
  const sinLat = Math.sin(((latB - latA) * RADIANS) / 2);
  const sinLon = Math.sin(((lonB - lonA) * RADIANS) / 2);
  const cosines = Math.cos(latA * RADIANS) * Math.cos(latB * RADIANS);
  const h = sinLat * sinLat + cosines * sinLon * sinLon;
  return 2 * radius * Math.asin(Math.min(1, Math.sqrt(h)));
}
