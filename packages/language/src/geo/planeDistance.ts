import { EARTH_RADIUS_METRES } from './arcDistance.js';
import { RADIANS } from './RADIANS.js';

/** The distance on a plane (`distance_type: plane`), in metres: faster than the arc, but inexact for long distances. */
export function planeDistance(latA: number, lonA: number, latB: number, lonB: number): number {
  const x = (lonB - lonA) * RADIANS * Math.cos(((latA + latB) / 2) * RADIANS);
  const y = (latB - latA) * RADIANS;
  return Math.sqrt(x * x + y * y) * EARTH_RADIUS_METRES;
}
