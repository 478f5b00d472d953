/** Mean radius of the earth, in metres. */
const EARTH_RADIUS_METRES = 6_371_008.7714;
const RADIANS = Math.PI / 180;

/** Length of the great circle arc between two points given in degrees, in metres. */
export function arcDistance(latA: number, lonA: number, latB: number, lonB: number): number {
  const sinLat = Math.sin(((latB - latA) * RADIANS) / 2);
  const sinLon = Math.sin(((lonB - lonA) * RADIANS) / 2);
  const h = sinLat * sinLat + Math.cos(latA * RADIANS) * Math.cos(latB * RADIANS) * sinLon * sinLon;
  return 2 * EARTH_RADIUS_METRES * Math.asin(Math.min(1, Math.sqrt(h)));
}

/** The distance on a plane (`distance_type: plane`), in metres: faster than the arc, but inexact for long distances. */
export function planeDistance(latA: number, lonA: number, latB: number, lonB: number): number {
  const x = (lonB - lonA) * RADIANS * Math.cos(((latA + latB) / 2) * RADIANS);
  const y = (latB - latA) * RADIANS;
  return Math.sqrt(x * x + y * y) * EARTH_RADIUS_METRES;
}

/** The bounding box of a circle, in degrees. Points outside are farther from its centre than its radius. */
export interface CircleBounds {
  readonly south: number;
  readonly north: number;
  /** Half the width; 180: all longitudes. */
  readonly halfWidth: number;
}

/** The bounds of a circle on the sphere, slightly enlarged so that rounding excludes nothing. */
export function circleBounds(lat: number, metres: number): CircleBounds {
  const angle = metres / EARTH_RADIUS_METRES;
  const degrees = angle / RADIANS + 1e-9;
  const [south, north] = [lat - degrees, lat + degrees];
  // Around a pole every longitude may be near.
  if (south <= -90 || north >= 90) return { south, north, halfWidth: 180 };
  const ratio = Math.sin(Math.min(angle, Math.PI / 2)) / Math.cos(lat * RADIANS);
  return { south, north, halfWidth: Math.asin(Math.min(1, ratio)) / RADIANS + 1e-6 };
}
