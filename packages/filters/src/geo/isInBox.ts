import type { Box } from './Box.js';
import type { Point } from './Point.js';

/** Edges are inclusive; a box with `left` > `right` crosses the 180° meridian. */
export function isInBox({ lat, lon }: Point, { top, left, bottom, right }: Box): boolean {
  if (lat > top || lat < bottom) return false;
  return left <= right ? lon >= left && lon <= right : lon >= left || lon <= right;
}
