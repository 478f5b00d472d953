import type { Point } from '@millrace/query';

/*
 * Degrees that Lucene tells apart: 32 bits for each of the two. It moves the corners of what it is asked with onto the same
 * grid as the points, so that a point on a slanted border is on either side of it, by chance of the grid.
 */
const LAT_STEP = 180 / 2 ** 32;

/** In degrees: no point is moved as far as this. */
export const LON_STEP = 360 / 2 ** 32;

/** The latitude that a server keeps of a point, some millimetres to the south. */
export const keptLat = (degrees: number): number => kept(degrees, LAT_STEP);

/** The longitude that a server keeps of a point, some millimetres to the west. */
export const keptLon = (degrees: number): number => kept(degrees, LON_STEP);

/** The point that a server keeps in place of one. */
export const keptPoint = ({ lat, lon }: Point): Point => ({ lat: keptLat(lat), lon: keptLon(lon) });

function kept(degrees: number, step: number): number {
  return Math.min(2 ** 31 - 1, Math.floor(degrees / step)) * step;
}
