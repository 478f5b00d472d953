/*
 * Areas by the cells of a grid whose step fits their size.
 *
 * Problem: of 100,000 circles, boxes and polygons that come and go, find those around a point. Idea: an area lies in
 * the cells it touches of a grid about as wide as itself (one to four cells); where its place is crowded, of a finer
 * grid, so that fewer candidates are near misses. A point asks one cell per grid in use. A candidate circle is decided
 * by the straight distance through the globe (`AreaColumns`), the exact test answers only at the rim.
 * Refused: an R-tree (slow to update, pointers), a fixed fine grid (a country of small circles would fill millions of
 * cells of one entry each), geohash texts (strings on the hot way).
 */
import type { Point } from '../geo/Point.js';
import { AreaColumns } from './AreaColumns.js';
import { areaBounds, type Rectangle } from './areaBounds.js';
import type { Area } from './CompiledTest.js';
import { tagOf, type HandleTable } from './HandleTable.js';
import { IntegerList } from './IntegerList.js';
import type { MatchSink } from './MatchSink.js';

/** Cells of 360° / 2^16 (600 m): cell numbers stay small integers, the fastest keys. */
const FINEST_LEVEL = 16;
/** From this many entries in its middle cell on, an area goes to the next finer grid. */
const CROWDED_FROM = 48;
/** Finer grids than the one that fits. */
const MAX_REFINEMENTS = 2;
/** From this many entries on a cell is packed. */
const PACKED_FROM = 12;

/** A cell is the list of its entries: one, the commonest, stands bare, many are packed. */
type Cell = number | number[] | IntegerList;
type Cells = Map<number, Cell>;

export class AreaIndex {
  private readonly columns = new AreaColumns();
  private readonly levels: (Cells | undefined)[] = [];
  private count = 0;

  get isEmpty(): boolean {
    return this.count === 0;
  }

  get byteCount(): number {
    let bytes = this.columns.byteCount;
    for (const cells of this.levels) {
      if (cells === undefined) continue;
      bytes += cells.size * 36;
      for (const cell of cells.values())
        if (typeof cell !== 'number') bytes += 64 + cell.length * 8;
    }
    return bytes;
  }

  add(area: Area, handle: number, table: HandleTable): void {
    const bounds = areaBounds(area);
    const level = this.levelFor(bounds);
    const entry = this.columns.add(area, tagOf(handle, table), level);
    // An area stands in no list, so that the place is free for the number of its entry.
    table.position[handle] = entry;
    this.count++;
    let cells = this.levels[level];
    if (cells === undefined) this.levels[level] = cells = new Map<number, Cell>();
    for (const bound of bounds) {
      for (const number of cellsOf(bound, level)) addTo(cells, number, entry);
    }
  }

  remove(area: Area, handle: number, table: HandleTable): void {
    const entry = table.position[handle] ?? 0;
    this.count--;
    const level = this.columns.levelOf(entry);
    this.columns.remove(entry);
    const cells = this.levels[level];
    if (cells === undefined) return;
    for (const bound of areaBounds(area)) {
      for (const number of cellsOf(bound, level)) removeFrom(cells, number, entry);
    }
    if (cells.size === 0) this.levels[level] = undefined;
  }

  collect({ lat, lon }: Point, sink: MatchSink): void {
    const { columns } = this;
    columns.moveTo(lat, lon);
    for (let level = 0; level < this.levels.length; level++) {
      const cells = this.levels[level];
      if (cells === undefined) continue;
      const cell = cells.get(cellNumber(lat, lon, level));
      if (cell === undefined) continue;
      if (typeof cell === 'number') {
        if (columns.isInside(cell)) sink.add(columns.tagOf(cell));
        continue;
      }
      const entries = cell instanceof IntegerList ? cell.items : cell;
      const { length } = cell;
      for (let i = 0; i < length; i++) {
        const entry = entries[i] as number;
        if (columns.isInside(entry)) sink.add(columns.tagOf(entry));
      }
    }
  }

  private levelFor(bounds: readonly Rectangle[]): number {
    let extent = 0;
    for (const { top, left, bottom, right } of bounds) {
      extent = Math.max(extent, top - bottom, right - left);
    }
    const fitting = Math.min(FINEST_LEVEL, Math.max(0, Math.floor(Math.log2(360 / extent))));
    const [first] = bounds;
    if (first === undefined) return fitting;
    const lat = (first.top + first.bottom) / 2;
    const lon = (first.left + first.right) / 2;
    const finest = Math.min(FINEST_LEVEL, fitting + MAX_REFINEMENTS);
    let level = fitting;
    while (level < finest && this.isCrowded(cellNumber(lat, lon, level), level)) level++;
    return level;
  }

  private isCrowded(number: number, level: number): boolean {
    const cell = this.levels[level]?.get(number);
    return cell !== undefined && typeof cell !== 'number' && cell.length >= CROWDED_FROM;
  }
}

function cellNumber(lat: number, lon: number, level: number): number {
  const perDegree = 2 ** level / 360;
  // One row and column more than 2^level, for the points on the last edges.
  return (
    Math.floor((lat + 90) * perDegree) * (2 ** level + 1) + Math.floor((lon + 180) * perDegree)
  );
}

function cellsOf({ top, left, bottom, right }: Rectangle, level: number): readonly number[] {
  const perDegree = 2 ** level / 360;
  const lastRow = Math.floor((Math.min(90, top) + 90) * perDegree);
  const firstColumn = Math.floor((Math.max(-180, left) + 180) * perDegree);
  const lastColumn = Math.floor((Math.min(180, right) + 180) * perDegree);
  const cells: number[] = [];
  for (let row = Math.floor((Math.max(-90, bottom) + 90) * perDegree); row <= lastRow; row++) {
    for (let column = firstColumn; column <= lastColumn; column++) {
      cells.push(row * (2 ** level + 1) + column);
    }
  }
  return cells;
}

/** The two halves of an area across the 180° meridian may share a cell: it takes an entry once. */
function addTo(cells: Cells, number: number, entry: number): void {
  const cell = cells.get(number);
  if (cell === undefined) cells.set(number, entry);
  else if (typeof cell === 'number') {
    if (cell !== entry) cells.set(number, [cell, entry]);
  } else if (cell instanceof IntegerList) {
    if (cell.last !== entry) cell.push(entry);
  } else if (cell[cell.length - 1] !== entry) {
    if (cell.length < PACKED_FROM) cell.push(entry);
    else cells.set(number, new IntegerList([...cell, entry]));
  }
}

function removeFrom(cells: Cells, number: number, entry: number): void {
  const cell = cells.get(number);
  if (cell === undefined) return;
  if (typeof cell === 'number') {
    if (cell === entry) cells.delete(number);
    return;
  }
  if (cell instanceof IntegerList) {
    cell.remove(entry);
    if (cell.length === 1) cells.set(number, cell.last);
    return;
  }
  const at = cell.indexOf(entry);
  if (at < 0) return;
  const last = cell.pop() ?? entry;
  if (last !== entry) cell[at] = last;
  if (cell.length === 1) cells.set(number, cell[0] as number);
}
