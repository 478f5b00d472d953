import type { Point } from '@millrace/query';

/*
 * Elasticsearch keeps a coordinate of a geo_point in 32 bits and moves the corners of what it is asked with onto the same
 * grid (the next one to the south-west), so that a point on a slanted border is on either side of it, by chance of the grid.
 */
const STEPS = 2 ** 32;

/** In degrees: no point is moved as far as this. */
export const GRID_STEP = 360 / STEPS;

/** A point where Elasticsearch keeps it. */
export function onGrid({ lat, lon }: Point): Point {
  return { lat: round(lat, 180 / STEPS), lon: round(lon, GRID_STEP) };
}

function round(degrees: number, step: number): number {
  return Math.min(Math.floor(degrees / step), STEPS / 2 - 1) * step;
}
