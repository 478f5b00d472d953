/*
 * Areas by the cells of a grid whose step fits their size.
 *
 * Problem: of 100,000 circles, boxes and polygons that come and go, find those around a point. Idea: an area lies in
 * the cells it touches of a grid about as wide as itself (one to four cells); where its place is crowded, of a grid up
 * to four times as fine, so that fewer candidates are near misses, and those need no test whose area covers the cell. A
 * point asks one cell per grid in use. A candidate circle is decided by the map of a crowded cell (`CellFrame`) or by
 * the straight distance through the globe (`AreaColumns`); the exact test answers only at the rim.
 * An area that goes is marked, and no longer told; its entries in the cells are swept out later, some with each change,
 * once a fifth of all are gone: then a look at each costs less than finding them would.
 * Refused: an R-tree (slow to update, pointers), a fixed fine grid (a country of small circles would fill millions of
 * cells of one entry each), geohash texts (strings on the hot way).
 */
import type { Point } from '../geo/Point.js';
import { AreaColumns } from './AreaColumns.js';
import { areaBounds, type Rectangle } from './areaBounds.js';
import { CellFrame } from './CellFrame.js';
import type { Area } from './CompiledTest.js';
import { CrowdedCell } from './CrowdedCell.js';
import { cellNumber, eachCell, FINEST_LEVEL } from './GridCells.js';
import { tagOf, type HandleTable } from './HandleTable.js';
import type { MatchSink } from './MatchSink.js';

/** From this many entries in its middle cell on, an area goes to the next finer grid. */
const CROWDED_FROM = 48;
/** Finer grids than the one that fits. */
const MAX_REFINEMENTS = 2;
/** From this many entries on a cell keeps what decides them. */
const PACKED_FROM = 12;
/** Entries looked at with each change while cells are swept. */
const SWEPT_PER_CHANGE = 128;
const MIN_GONE = 64;

/** A cell is the list of its entries, the complement of those that cover it: one, the commonest, stands bare. */
type Cell = number | number[] | CrowdedCell;
type Cells = Map<number, Cell>;

export class AreaIndex {
  private readonly columns = new AreaColumns();
  private readonly levels: (Cells | undefined)[] = [];
  private readonly frame = new CellFrame();
  private count = 0;
  /** Entries that went since the sweep began, and before. */
  private gone: number[] = [];
  private swept: readonly number[] = [];
  private sweep: Iterator<number, void> | undefined;

  get isEmpty(): boolean {
    return this.count === 0;
  }

  get byteCount(): number {
    let bytes = this.columns.byteCount;
    for (const cells of this.levels) {
      if (cells === undefined) continue;
      bytes += cells.size * 36;
      for (const cell of cells.values()) {
        if (typeof cell === 'number') continue;
        bytes += cell instanceof CrowdedCell ? cell.byteCount : 64 + cell.length * 8;
      }
    }
    return bytes;
  }

  add(area: Area, handle: number, table: HandleTable): void {
    if (this.sweep !== undefined) this.sweepOn();
    const bounds = areaBounds(area);
    const level = this.levelFor(bounds);
    const entry = this.columns.add(area, tagOf(handle, table));
    // An area stands in no list, so that the place is free for the number of its entry.
    table.position[handle] = entry;
    this.count++;
    const cells = (this.levels[level] ??= new Map<number, Cell>());
    for (const bound of bounds) {
      eachCell(area, bound, level, (number, isCovered) => {
        this.addTo(cells, number, level, isCovered ? ~entry : entry);
      });
    }
  }

  remove(handle: number, table: HandleTable): void {
    const entry = table.position[handle] ?? 0;
    this.columns.retire(entry);
    this.gone.push(entry);
    this.count--;
    if (this.sweep === undefined && this.gone.length >= MIN_GONE + (this.count >> 2)) {
      this.swept = this.gone;
      this.gone = [];
      this.sweep = this.sweepCells();
    }
    if (this.sweep !== undefined) this.sweepOn();
  }

  collect({ lat, lon }: Point, sink: MatchSink): void {
    const { columns } = this;
    columns.moveTo(lat, lon);
    for (let level = 0; level < this.levels.length; level++) {
      const cells = this.levels[level];
      if (cells === undefined) continue;
      const number = cellNumber(lat, lon, level);
      const cell = cells.get(number);
      if (cell === undefined) continue;
      if (typeof cell === 'number') columns.collect(cell, sink);
      else if (cell instanceof CrowdedCell) {
        this.frame.moveTo(number, level);
        this.frame.locate(columns.x, columns.y, columns.z);
        cell.collect(columns, this.frame, sink);
      } else for (let i = 0; i < cell.length; i++) columns.collect(cell[i] as number, sink);
    }
  }

  /** The two halves of an area across the 180° meridian may share a cell: it takes an entry once. */
  private addTo(cells: Cells, number: number, level: number, entry: number): void {
    const cell = cells.get(number);
    if (cell === undefined) cells.set(number, entry);
    else if (typeof cell === 'number') {
      if (cell !== entry) cells.set(number, [cell, entry]);
    } else if (cell instanceof CrowdedCell) this.pack(cell, number, level, entry);
    else if (cell[cell.length - 1] !== entry) {
      cell.push(entry);
      if (cell.length <= PACKED_FROM) return;
      const packed = new CrowdedCell();
      for (const each of cell) this.pack(packed, number, level, each);
      cells.set(number, packed);
    }
  }

  private pack(cell: CrowdedCell, number: number, level: number, entry: number): void {
    if (entry < 0) {
      cell.addCovering(~entry);
      return;
    }
    const area = this.columns.areaOf(entry);
    // It is gone.
    if (area === undefined) return;
    const { frame } = this;
    frame.moveTo(number, level);
    const radius = frame.locateArea(area);
    cell.add(entry, radius === 0 ? 0 : frame.place, radius);
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

  private sweepOn(): void {
    for (let looked = 0; looked < SWEPT_PER_CHANGE;) {
      const step = this.sweep?.next();
      if (step === undefined) return;
      if (step.done === true) {
        // No cell names them any more.
        for (const entry of this.swept) this.columns.free(entry);
        this.swept = [];
        this.sweep = undefined;
        return;
      }
      looked += step.value;
    }
  }

  /** Cell by cell; gives how many entries it has looked at. Cells that come meanwhile are of no one who is gone. */
  private *sweepCells(): Generator<number, void> {
    const { columns } = this;
    for (const [level, cells] of this.levels.entries()) {
      if (cells === undefined) continue;
      for (const [number, cell] of cells) {
        yield typeof cell === 'number' ? 1 : 1 + cell.length;
        // It may have grown into another kind since.
        const now = cells.get(number);
        if (now !== undefined && isEmptied(now, columns)) cells.delete(number);
      }
      if (cells.size === 0) this.levels[level] = undefined;
    }
  }
}

/** Takes out what is gone. @returns whether nothing is left */
function isEmptied(cell: Cell, columns: AreaColumns): boolean {
  if (typeof cell === 'number') return columns.isGone(cell < 0 ? ~cell : cell);
  if (cell instanceof CrowdedCell) {
    cell.sweep(columns);
    return cell.length === 0;
  }
  let kept = 0;
  for (const entry of cell) {
    if (!columns.isGone(entry < 0 ? ~entry : entry)) cell[kept++] = entry;
  }
  cell.length = kept;
  return kept === 0;
}
