import type { Point } from '@millrace/language';
import type { Box } from './Box.js';

/** Edges are inclusive; a box with `left` > `right` crosses the 180° meridian. */
export function isInBox({ lat, lon }: Point, { top, left, bottom, right }: Box): boolean {
  if (lat > top || lat < bottom) return false;
  return left <= right ? lon >= left && lon <= right : lon >= left || lon <= right;
}
