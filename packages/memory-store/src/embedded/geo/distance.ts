import type { Point } from './GeoCell.js';

/** Redis's model of the earth is a sphere with this radius. */
export const EARTH_RADIUS_M = 6_372_797.560856;

export function toRadians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

/** The distance along a meridian, in metres. */
export function latitudeDistanceM(from: number, to: number): number {
  return EARTH_RADIUS_M * Math.abs(toRadians(to) - toRadians(from));
}

/** The great-circle distance in metres. */
export function distanceM(from: Point, to: Point): number {
  const eastWest = Math.sin((toRadians(to.longitude) - toRadians(from.longitude)) / 2);
  if (eastWest === 0) return latitudeDistanceM(from.latitude, to.latitude);
  const [first, second] = [toRadians(from.latitude), toRadians(to.latitude)];
  const northSouth = Math.sin((second - first) / 2);
  const share = northSouth ** 2 + Math.cos(first) * Math.cos(second) * eastWest ** 2;
  return 2 * EARTH_RADIUS_M * Math.asin(Math.sqrt(share));
}
