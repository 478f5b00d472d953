import { EARTH_RADIUS_METRES } from './arcDistance.js';
import { RADIANS } from './RADIANS.js';

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
