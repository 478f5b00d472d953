import { boxOf, cellOf, MAX_STEP, neighbourOf, type GeoBox, type GeoCell, type Point } from './GeoCell.js';
import { EARTH_RADIUS_M, toRadians } from './distance.js';

/** An area around a point: a circle, or a box parallel to the axes. */
export interface SearchArea {
  readonly center: Point;
  /** Half of the extent in metres: the radius for both, or half of width and height. */
  readonly halfWidthM: number;
  readonly halfHeightM: number;
  readonly isCircle: boolean;
}

/** Half of the equator on the Mercator map, in metres. */
const MERCATOR_MAX_M = 20_037_726.37;
/** The search order of the cells around the middle one: column and row offsets. */
const AROUND = [
  [0, 0],
  [0, 1],
  [0, -1],
  [1, 0],
  [-1, 0],
  [1, 1],
  [-1, 1],
  [1, -1],
  [-1, -1],
] as const;

/**
 * The cells that together cover an area, in the order in which Redis searches them (the order of unsorted results): the
 * cell of the centre, in a grid with cells about as large as the area, and those of its neighbours that the area
 * touches.
 */
export function searchCells(area: SearchArea): readonly GeoCell[] {
  const bounds = boundsOf(area);
  const { center } = area;
  let step = stepFor(area);
  let middle = cellOf(center, step);
  if (step > 1 && !reaches(middle, bounds)) middle = cellOf(center, --step);
  const cells = AROUND.filter(([columns, rows]) => step < 2 || isReached(boxOf(middle), bounds, columns, rows)).map(
    ([columns, rows]) => neighbourOf(middle, columns, rows),
  );
  // In the coarsest grids the same cell is a neighbour several times in a row.
  return cells.filter((cell, at) => at < 2 || !isSame(cell, cells[at - 1]));
}

function isSame(left: GeoCell, right: GeoCell | undefined): boolean {
  return left.column === right?.column && left.row === right.row;
}

function boundsOf({ center, halfWidthM, halfHeightM }: SearchArea): GeoBox {
  const { longitude, latitude } = center;
  const toDegrees = (radians: number) => (radians * 180) / Math.PI;
  const up = toDegrees(halfHeightM / EARTH_RADIUS_M);
  // A degree of longitude is shortest at the edge that is nearer to the pole.
  const edge = latitude < 0 ? latitude - up : latitude + up;
  const across = toDegrees(halfWidthM / EARTH_RADIUS_M / Math.cos(toRadians(edge)));
  return {
    west: longitude - across,
    south: latitude - up,
    east: longitude + across,
    north: latitude + up,
  };
}

function stepFor({ center, halfWidthM, halfHeightM, isCircle }: SearchArea): number {
  let range = isCircle ? halfWidthM : Math.sqrt(halfWidthM ** 2 + halfHeightM ** 2);
  if (range === 0) return MAX_STEP;
  let step = 1;
  for (; range < MERCATOR_MAX_M; range *= 2) step++;
  step -= 2;
  const latitude = Math.abs(center.latitude);
  if (latitude > 66) step -= latitude > 80 ? 2 : 1;
  return Math.min(MAX_STEP, Math.max(1, step));
}

/** Whether the cell and its neighbours cover the bounds. */
function reaches(middle: GeoCell, bounds: GeoBox): boolean {
  return (
    boxOf(neighbourOf(middle, 0, 1)).north >= bounds.north &&
    boxOf(neighbourOf(middle, 0, -1)).south <= bounds.south &&
    boxOf(neighbourOf(middle, 1, 0)).east >= bounds.east &&
    boxOf(neighbourOf(middle, -1, 0)).west <= bounds.west
  );
}

/** Whether the area crosses the edge towards this neighbour. */
function isReached(box: GeoBox, bounds: GeoBox, columns: number, rows: number): boolean {
  if (rows < 0 && box.south < bounds.south) return false;
  if (rows > 0 && box.north > bounds.north) return false;
  if (columns < 0 && box.west < bounds.west) return false;
  return !(columns > 0 && box.east > bounds.east);
}
