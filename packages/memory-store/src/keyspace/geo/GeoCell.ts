/**
 * Design note. A point is stored as the score of its name: 52 bits in which 26 bits of longitude and 26 of latitude
 * alternate, so that the points of one cell of any of 26 grids have adjacent scores. A cell of the grid of `step` is
 * identified by its column and row, below 2^step each.
 */
export const MAX_STEP = 26;
const MAX_LATITUDE = 85.05112878;
const MAX_LONGITUDE = 180;

/** A point in degrees. */
export interface Point {
  readonly longitude: number;
  readonly latitude: number;
}

/** A cell of one of the grids. */
export interface GeoCell {
  readonly step: number;
  readonly column: number;
  readonly row: number;
}

/** A box in degrees. */
export interface GeoBox {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** Whether the point can be stored. */
export function isPlace({ longitude, latitude }: Point): boolean {
  return Math.abs(longitude) <= MAX_LONGITUDE && Math.abs(latitude) <= MAX_LATITUDE;
}

/** The cell of a grid that contains a point. */
export function cellOf(point: Point, step: number): GeoCell {
  const count = 2 ** step;
  const place = (value: number, max: number) => Math.floor(((value + max) / (2 * max)) * count);
  return {
    step,
    column: place(point.longitude, MAX_LONGITUDE),
    row: place(point.latitude, MAX_LATITUDE),
  };
}

/** The number of a cell in the order of scores; the points of a cell have the scores `n << s` to `(n + 1) << s`. */
export function cellNumber({ column, row }: GeoCell): number {
  const low = spread(row & 0x1fff) + 2 * spread(column & 0x1fff);
  const high = spread(row >>> 13) + 2 * spread(column >>> 13);
  return high * 2 ** MAX_STEP + low;
}

/** The inverse, for the finest grid. */
export function cellOfScore(score: number): GeoCell {
  const high = Math.floor(score / 2 ** MAX_STEP);
  const low = score - high * 2 ** MAX_STEP;
  return {
    step: MAX_STEP,
    column: (gather(high >>> 1) << 13) | gather(low >>> 1),
    row: (gather(high) << 13) | gather(low),
  };
}

/** The corners of a cell. */
export function boxOf({ step, column, row }: GeoCell): GeoBox {
  const count = 2 ** step;
  const edge = (place: number, max: number) => -max + (place / count) * (2 * max);
  return {
    west: edge(column, MAX_LONGITUDE),
    south: edge(row, MAX_LATITUDE),
    east: edge(column + 1, MAX_LONGITUDE),
    north: edge(row + 1, MAX_LATITUDE),
  };
}

/** The centre of the cell of a score. */
export function pointOfScore(score: number): Point {
  const { west, south, east, north } = boxOf(cellOfScore(score));
  const clamp = (value: number, max: number) => Math.min(max, Math.max(-max, value));
  return {
    longitude: clamp((west + east) / 2, MAX_LONGITUDE),
    latitude: clamp((south + north) / 2, MAX_LATITUDE),
  };
}

/** The cell a number of columns and rows away; the grid wraps around, but its edge may be one bit beyond. */
export function neighbourOf({ step, column, row }: GeoCell, columns: number, rows: number): GeoCell {
  const mask = 2 ** step - 1;
  return {
    step,
    column: columns === 0 ? column : (column + columns) & mask,
    row: rows === 0 ? row : (row + rows) & mask,
  };
}

/** Spreads up to 16 bits to the even bit positions; the edge of the map needs one bit more than its grid. */
function spread(bits: number): number {
  let spaced = bits & 0xffff;
  spaced = (spaced | (spaced << 8)) & 0x00ff00ff;
  spaced = (spaced | (spaced << 4)) & 0x0f0f0f0f;
  spaced = (spaced | (spaced << 2)) & 0x33333333;
  return (spaced | (spaced << 1)) & 0x55555555;
}

function gather(spaced: number): number {
  let bits = spaced & 0x55555555;
  bits = (bits | (bits >>> 1)) & 0x33333333;
  bits = (bits | (bits >>> 2)) & 0x0f0f0f0f;
  bits = (bits | (bits >>> 4)) & 0x00ff00ff;
  return (bits | (bits >>> 8)) & 0xffff;
}
