import type { PointColumn } from '../columns/PointColumn.js';
import { constantMatches, type Matches } from './Matches.js';
import type { QueryNode } from './QueryNode.js';

/** Documents with a point that is accepted, with one score. A scan of the column. */
export class PointNode implements QueryNode {
  readonly test: (slot: number) => boolean;

  constructor(
    private readonly column: PointColumn,
    private readonly accepts: (lat: number, lon: number) => boolean,
    readonly constantScore: number,
  ) {
    this.test = (slot) => column.some(slot, accepts);
  }

  estimate(): number {
    return this.column.length;
  }

  match(): Matches {
    const { lats, lons, length, more } = this.column;
    const { accepts, test } = this;
    const slots = new Int32Array(length);
    let count = 0;
    if (more.size > 0) {
      for (let slot = 0; slot < length; slot += 1) if (test(slot)) slots[count++] = slot;
    } else {
      // NaN where there is no point.
      for (let slot = 0; slot < length; slot += 1) {
        const lat = lats[slot] as number;
        if (lat === lat && accepts(lat, lons[slot] as number)) slots[count++] = slot;
      }
    }
    return constantMatches(slots.slice(0, count), this.constantScore);
  }
}
