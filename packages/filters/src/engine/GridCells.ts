/*
 * Cells of a grid over the globe: which of them an area touches and which it covers, so that points in covered cells
 * need no test. A level has 2^level columns; rows are as high as columns are wide, in degrees.
 */
import type { Point } from '@millrace/language';
import type { Rectangle } from './areaBounds.js';
import type { Area } from './CompiledTest.js';
import { DiscTest } from './DiscTest.js';

/** Cells of 360° / 2^16 (600 m): cell numbers stay small integers, the fastest keys. */
export const FINEST_LEVEL = 16;
/** Coarser cells are too wide for the rules of discs: areas only touch them, never cover them. */
const COARSEST_TESTED = 3;
const MARGIN_DEGREES = 1e-9;

/** Decides whether an area touches or covers a cell. */
export const OUTSIDE = 0;
export const TOUCHED = 1;
export const COVERED = 2;

/** Receives each cell that an area touches. */
export type VisitCell = (number: number, isCovered: boolean) => void;

/** The cell of a point. */
export function cellNumber(lat: number, lon: number, level: number): number {
  const perDegree = 2 ** level / 360;
  // One row and column more than 2^level, for points on the last edges.
  return Math.floor((lat + 90) * perDegree) * (2 ** level + 1) + Math.floor((lon + 180) * perDegree);
}

/** The middle of a cell. */
export function middleOf(number: number, level: number): Point {
  const columns = 2 ** level + 1;
  const step = 360 / 2 ** level;
  const row = Math.floor(number / columns);
  return { lat: (row + 0.5) * step - 90, lon: (number - row * columns + 0.5) * step - 180 };
}

/**
 * Visits the cells that an area touches.
 * @param bounds one of its rectangles (`areaBounds`)
 */
export function eachCell(area: Area, bounds: Rectangle, level: number, visit: VisitCell): void {
  const step = 360 / 2 ** level;
  const lastRow = Math.floor((Math.min(90, bounds.top) + 90) / step);
  const firstColumn = Math.floor((Math.max(-180, bounds.left) + 180) / step);
  const lastColumn = Math.floor((Math.min(180, bounds.right) + 180) / step);
  const test = testOf(area, bounds, level);
  test?.begin(firstColumn, lastColumn, step);
  for (let row = Math.floor((Math.max(-90, bounds.bottom) + 90) / step); row <= lastRow; row++) {
    test?.enterRow(row);
    for (let column = firstColumn; column <= lastColumn; column++) {
      const found = test?.decide(column) ?? TOUCHED;
      if (found !== OUTSIDE) visit(row * (2 ** level + 1) + column, found === COVERED);
    }
  }
}

/** Called row by row, and for all columns within each row. */
export interface CellTest {
  /** @param step of rows and columns, in degrees */
  begin(firstColumn: number, lastColumn: number, step: number): void;
  enterRow(row: number): void;
  /** @returns OUTSIDE, TOUCHED or COVERED; TOUCHED if undecided */
  decide(column: number): number;
}

function testOf(area: Area, bounds: Rectangle, level: number): CellTest | undefined {
  if (area.kind === 'geoBoundingBox') return new BoxTest(bounds);
  // A disc around a pole, or wider than half the globe, touches all longitudes.
  const isNarrow = bounds.right - bounds.left < 180 && level >= COARSEST_TESTED;
  return area.kind === 'geoDistance' && isNarrow ? new DiscTest(area) : undefined;
}

class BoxTest implements CellTest {
  private step = 1;
  private isRowInside = false;

  constructor(private readonly box: Rectangle) {}

  begin(_firstColumn: number, _lastColumn: number, step: number): void {
    this.step = step;
  }

  enterRow(row: number): void {
    const bottom = row * this.step - 90;
    const { box } = this;
    this.isRowInside = bottom >= box.bottom + MARGIN_DEGREES && bottom + this.step <= box.top - MARGIN_DEGREES;
  }

  decide(column: number): number {
    if (!this.isRowInside) return TOUCHED;
    const left = column * this.step - 180;
    const { box } = this;
    const isInside = left >= box.left + MARGIN_DEGREES && left + this.step <= box.right - MARGIN_DEGREES;
    return isInside ? COVERED : TOUCHED;
  }
}
