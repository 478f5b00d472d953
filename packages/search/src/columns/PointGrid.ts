/** Bounds of an area in degrees: latitudes from south to north, and one or more spans of longitudes. */
export interface PointBox {
  readonly south: number;
  readonly north: number;
  readonly spans: readonly (readonly [west: number, east: number])[];
}

/** Rows and columns. */
const SIDE = 256;

/*
 * Slots by place: the rectangle around all points is cut into equal cells, and a counting sort groups the slots by
 * cell, with the cells of a row adjacent. A query for a small area then visits the points of a few cells. If all points
 * crowd into few cells, it is no slower than a scan.
 */
export class PointGrid {
  /** Slots from here on are not in the grid. */
  readonly length: number;
  private readonly starts = new Int32Array(SIDE * SIDE + 1);
  private readonly slots: Int32Array;
  private south = Infinity;
  private north = -Infinity;
  private west = Infinity;
  private east = -Infinity;

  /** @param lats NaN if a slot has no point */
  constructor(lats: Float64Array, lons: Float64Array, length: number) {
    this.length = length;
    this.measure(lats, lons);
    const { starts } = this;
    const cells = new Int32Array(length);
    for (let slot = 0; slot < length; slot += 1) {
      const lat = lats[slot] as number;
      const cell = lat === lat ? this.cellOf(lat, lons[slot] as number) : -1;
      cells[slot] = cell;
      if (cell >= 0) starts[cell + 1] = (starts[cell + 1] as number) + 1;
    }
    for (let i = 0; i < SIDE * SIDE; i += 1) starts[i + 1] = (starts[i + 1] as number) + (starts[i] as number);
    this.slots = new Int32Array(starts[SIDE * SIDE] as number);
    const next = starts.slice();
    for (let slot = 0; slot < length; slot += 1) {
      const cell = cells[slot] as number;
      if (cell < 0) continue;
      const at = next[cell] as number;
      this.slots[at] = slot;
      next[cell] = at + 1;
    }
  }

  /** An upper bound of the points in the box: includes some neighbours. */
  count(box: PointBox): number {
    let sum = 0;
    this.eachRun(box, (from, to) => {
      sum += to - from;
    });
    return sum;
  }

  /** All slots with a point in the box, and some neighbours, unordered. A slot may occur twice. */
  candidates(box: PointBox): Int32Array {
    const found = new Int32Array(this.count(box));
    let filled = 0;
    this.eachRun(box, (from, to) => {
      found.set(this.slots.subarray(from, to), filled);
      filled += to - from;
    });
    return found;
  }

  get byteLength(): number {
    return this.slots.byteLength + this.starts.byteLength;
  }

  private measure(lats: Float64Array, lons: Float64Array): void {
    for (let slot = 0; slot < this.length; slot += 1) {
      const lat = lats[slot] as number;
      const lon = lons[slot] as number;
      if (lat < this.south) this.south = lat;
      if (lat > this.north) this.north = lat;
      if (lon < this.west) this.west = lon;
      if (lon > this.east) this.east = lon;
    }
  }

  private eachRun({ south, north, spans }: PointBox, visit: (from: number, to: number) => void): void {
    const first = partOf(south, this.south, this.north);
    const last = partOf(north, this.south, this.north);
    for (let row = first; row <= last; row += 1) {
      for (const [west, east] of spans) {
        if (west > this.east || east < this.west) continue;
        const from = row * SIDE + partOf(west, this.west, this.east);
        const to = row * SIDE + partOf(east, this.west, this.east) + 1;
        visit(this.starts[from] as number, this.starts[to] as number);
      }
    }
  }

  private cellOf(lat: number, lon: number): number {
    return partOf(lat, this.south, this.north) * SIDE + partOf(lon, this.west, this.east);
  }
}

/**
 * Index of the equal part of [low, high] that contains a value or is nearest to it. Never decreases with increasing
 * values.
 */
function partOf(value: number, low: number, high: number): number {
  if (!(value > low)) return 0;
  if (value >= high) return SIDE - 1;
  return Math.min(SIDE - 1, Math.floor(((value - low) / (high - low)) * SIDE));
}
