/** A place on the earth in degrees: `lat` -90..90, `lon` -180..180. */
export interface Point {
  readonly lat: number;
  readonly lon: number;
}

/** One degree in radians. */
export const RADIANS = Math.PI / 180;

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

/** The distance on a plane (`distance_type: plane`), in metres: faster than the arc, but inexact for long distances. */
export function planeDistance(latA: number, lonA: number, latB: number, lonB: number): number {
  const x = (lonB - lonA) * RADIANS * Math.cos(((latA + latB) / 2) * RADIANS);
  const y = (latB - latA) * RADIANS;
  return Math.sqrt(x * x + y * y) * EARTH_RADIUS_METRES;
}

/** Whether both coordinates are equal. */
export function isSamePoint(a: Point, b: Point): boolean {
  return a.lat === b.lat && a.lon === b.lon;
}

/** Added to each side for rounding. */
const MARGIN_DEGREES = 3e-9;

/** The bounding box of a circle, in degrees; points outside are farther from its centre than its radius. */
export interface CircleBounds {
  readonly south: number;
  readonly north: number;
  /** Half the width; 180: all longitudes. */
  readonly halfWidth: number;
}

/** The bounds of a circle on the sphere, slightly enlarged so that rounding excludes nothing. */
export function circleBounds(lat: number, metres: number): CircleBounds {
  const angle = metres / EARTH_RADIUS_METRES;
  const height = angle / RADIANS + angle * 1e-6 + MARGIN_DEGREES;
  const [south, north] = [lat - height, lat + height];
  // Around a pole every longitude may be near.
  if (south <= -90 || north >= 90) return { south, north, halfWidth: 180 };
  // The circle is widest where a meridian touches it.
  const sine = Math.sin(height * RADIANS) / Math.cos(lat * RADIANS);
  const halfWidth = sine < 1 ? Math.asin(sine) / RADIANS + MARGIN_DEGREES : 180;
  return { south, north, halfWidth };
}
