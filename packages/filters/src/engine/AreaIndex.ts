/*
 * Areas indexed by the cells of a grid whose step fits their size.
 *
 * Problem: of 100,000 circles, boxes and polygons that are added and removed, find those that contain a point. Idea: an
 * area is indexed in the cells it touches of a grid about as wide as itself (one to four cells), or, in a crowded
 * place, of a grid up to four times as fine. A finer grid has fewer near misses among its candidates, and an area that
 * covers the whole cell needs no test. A point looks up one cell per grid in use. A candidate circle is decided by the
 * map of a crowded cell (`CellFrame`) or by the straight distance through the globe (`AreaColumns`); the exact test
 * runs only at the rim.
 *
 * A removed area is marked and no longer reported. Its entries are swept out of the cells later, some with each change,
 * once a fifth of all entries are removed: checking each entry then costs less than finding the removed ones.
 *
 * Refused: an R-tree (slow to update, pointers), a fixed fine grid (small circles all over a country would fill
 * millions of cells with one entry each), geohash strings (strings on the hot path).
 */
import type { Point } from '@millrace/language';
import { AreaColumns } from './AreaColumns.js';
import { areaBounds, type Rectangle } from './areaBounds.js';
import { CellFrame } from './CellFrame.js';
import type { Area } from './CompiledTest.js';
import { CrowdedCell } from './CrowdedCell.js';
import { cellNumber, eachCell, FINEST_LEVEL } from './GridCells.js';
import { tagOf, type HandleTable } from './HandleTable.js';
import type { MatchSink } from './MatchSink.js';

/** From this many entries in its middle cell on, an area is indexed in the next finer grid. */
const CROWDED_FROM = 48;
/** Number of grids finer than the one that fits. */
const MAX_REFINEMENTS = 2;
/** From this many entries on, a cell becomes a `CrowdedCell`. */
const PACKED_FROM = 12;
/** Entries checked with each change during a sweep. */
const SWEPT_PER_CHANGE = 128;
const MIN_GONE = 64;

/**
 * A cell is a list of entries; the complement marks an area that covers the cell. A single entry, the most common case,
 * is a bare number.
 */
type Cell = number | number[] | CrowdedCell;
type Cells = Map<number, Cell>;

export class AreaIndex {
  private readonly columns = new AreaColumns();
  private readonly levels: (Cells | undefined)[] = [];
  private readonly frame = new CellFrame();
  private count = 0;
  /** Entries removed since the sweep began, and before it. */
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
    // An area has no position in a list, so this column holds the number of its entry.
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

  /** The two halves of an area across the 180° meridian may share a cell, which takes an entry once. */
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
    // The area is removed.
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
        // No cell contains them any more.
        for (const entry of this.swept) this.columns.free(entry);
        this.swept = [];
        this.sweep = undefined;
        return;
      }
      looked += step.value;
    }
  }

  /**
   * Sweeps cell by cell and yields the number of checked entries. Cells added during the sweep contain no removed
   * entries.
   */
  private *sweepCells(): Generator<number, void> {
    const { columns } = this;
    for (const [level, cells] of this.levels.entries()) {
      if (cells === undefined) continue;
      for (const [number, cell] of cells) {
        yield typeof cell === 'number' ? 1 : 1 + cell.length;
        // The cell may have changed its representation since.
        const now = cells.get(number);
        if (now !== undefined && isEmptied(now, columns)) cells.delete(number);
      }
      if (cells.size === 0) this.levels[level] = undefined;
    }
  }
}

/** Takes out removed entries. @returns whether the cell is empty */
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
