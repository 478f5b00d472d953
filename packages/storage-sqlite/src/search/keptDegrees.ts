/** Degrees that Lucene tells apart: 32 bits for each of the two. */
const LAT_STEP = 180 / 2 ** 32;
const LON_STEP = 360 / 2 ** 32;

/** The latitude that a server keeps of a point, some millimetres to the south. */
export const keptLat = (degrees: number): number => kept(degrees, LAT_STEP);

/** The longitude that a server keeps of a point, some millimetres to the west. */
export const keptLon = (degrees: number): number => kept(degrees, LON_STEP);

function kept(degrees: number, step: number): number {
  return Math.min(2 ** 31 - 1, Math.floor(degrees / step)) * step;
}
