import type { Point } from './Point.js';

/** Whether both coordinates are equal. */
export function isSamePoint(a: Point, b: Point): boolean {
  return a.lat === b.lat && a.lon === b.lon;
}
