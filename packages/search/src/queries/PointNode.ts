import type { PointColumn } from '../columns/PointColumn.js';
import type { Deadline } from '../Deadline.js';
import type { PointBox, PointGrid } from '../columns/PointGrid.js';
import { constantMatches, type Matches } from './Matches.js';
import type { QueryNode } from './QueryNode.js';
import { inOrder } from './setOperations.js';

/** Cost factor of points that aren't read in document order. */
const NARROW_RATIO = 4;

const WORLD: PointBox = {
  south: -Infinity,
  north: Infinity,
  spans: [[-Infinity, Infinity]],
};

/**
 * Points between two checks of the deadline: testing one against a polygon of thousands of points takes a millisecond.
 */
const CHECK_MASK = 63;

/** Documents with an accepted point, with a constant score. Uses the grid near the area, or a scan of the column. */
export class PointNode implements QueryNode {
  readonly test: (slot: number) => boolean;

  constructor(
    private readonly column: PointColumn,
    private readonly accepts: (lat: number, lon: number) => boolean,
    readonly constantScore: number,
    private readonly deadline: Deadline,
    /** No point outside is accepted. */
    private readonly box: PointBox = WORLD,
  ) {
    this.test = (slot) => column.some(slot, accepts);
  }

  estimate(): number {
    const { grid, length } = this.column;
    return grid === undefined ? length : grid.count(this.box) + length - grid.length;
  }

  match(): Matches {
    const { lats, lons, length, more } = this.column;
    const { accepts, test } = this;
    const { grid } = this.column;
    if (grid !== undefined && this.estimate() * NARROW_RATIO < length)
      return constantMatches(this.matchNear(grid), this.constantScore);
    const slots = new Int32Array(length);
    let count = 0;
    if (more.size > 0) {
      for (let slot = 0; slot < length; slot += 1) {
        if ((slot & CHECK_MASK) === CHECK_MASK) this.deadline.check();
        if (test(slot)) slots[count++] = slot;
      }
    } else {
      // NaN if there is no point.
      for (let slot = 0; slot < length; slot += 1) {
        if ((slot & CHECK_MASK) === CHECK_MASK) this.deadline.check();
        const lat = lats[slot] as number;
        if (lat === lat && accepts(lat, lons[slot] as number)) slots[count++] = slot;
      }
    }
    return constantMatches(slots.slice(0, count), this.constantScore);
  }

  private matchNear(grid: PointGrid): Int32Array {
    const { lats, lons, length } = this.column;
    const candidates = grid.candidates(this.box);
    const slots = new Int32Array(candidates.length + length - grid.length);
    let count = 0;
    for (let i = 0; i < candidates.length; i += 1) {
      if ((i & CHECK_MASK) === CHECK_MASK) this.deadline.check();
      const slot = candidates[i] as number;
      if (this.accepts(lats[slot] as number, lons[slot] as number)) slots[count++] = slot;
    }
    for (let slot = grid.length; slot < length; slot += 1) {
      if ((slot & CHECK_MASK) === CHECK_MASK) this.deadline.check();
      const lat = lats[slot] as number;
      if (lat === lat && this.accepts(lat, lons[slot] as number)) slots[count++] = slot;
    }
    return inOrder(slots.subarray(0, count), length);
  }
}
