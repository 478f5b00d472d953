import { arcDistance } from '@millrace/language';
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
  if (from.longitude === to.longitude) return latitudeDistanceM(from.latitude, to.latitude);
  return arcDistance(from.latitude, from.longitude, to.latitude, to.longitude, EARTH_RADIUS_M);
}
