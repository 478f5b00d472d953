/** One row: its position in the order of insertion, or -1 once removed. */
export interface TableRow<V> {
  readonly key: string;
  value: V;
  at: number;
}

/**
 * A map that keeps the order of insertion and can return a random row. Rows are stored in an array; removing one leaves
 * a hole, and once holes outnumber rows the array is compacted: every operation takes amortised constant time, and a
 * random pick hits a row at least every second time on average.
 *
 * A removed row stays in the map until there are as many dead rows as live ones: V8 keeps deleted entries in the chain
 * of their bucket until it rehashes, so that looking up a key that is repeatedly added and removed (a queue that runs
 * empty) walked through thousands of them.
 */
export class IndexedTable<V> {
  private rows = new Map<string, TableRow<V | undefined>>();
  private places: (TableRow<V> | undefined)[] = [];
  private liveCount = 0;

  get size(): number {
    return this.liveCount;
  }

  /** Number of positions, including holes: the upper limit for `rowAt`. */
  get placeCount(): number {
    return this.places.length;
  }

  get(key: string): V | undefined {
    return this.rows.get(key)?.value;
  }

  has(key: string): boolean {
    const row = this.rows.get(key);
    return row !== undefined && row.at >= 0;
  }

  /** @returns true if the key is new */
  set(key: string, value: V): boolean {
    const known = this.rows.get(key) as TableRow<V> | undefined;
    if (known !== undefined && known.at >= 0) {
      known.value = value;
      return false;
    }
    const row = known ?? { key, value, at: -1 };
    if (known === undefined) this.rows.set(key, row);
    row.value = value;
    row.at = this.places.length;
    this.places.push(row);
    this.liveCount++;
    return true;
  }

  /** @returns the removed value */
  delete(key: string): V | undefined {
    const row = this.rows.get(key);
    if (row === undefined || row.at < 0) return undefined;
    const { value } = row;
    this.places[row.at] = undefined;
    row.at = -1;
    row.value = undefined;
    this.liveCount--;
    if (this.places.length > 2 * this.liveCount + 16) this.closeUp();
    if (this.rows.size > 2 * this.liveCount + 16) this.bury();
    return value;
  }

  clear(): void {
    this.rows = new Map();
    this.places = [];
    this.liveCount = 0;
  }

  /** The row at a position; positions may be empty. */
  rowAt(place: number): TableRow<V> | undefined {
    return this.places[place];
  }

  /** A random row; undefined in an empty table. */
  random(): TableRow<V> | undefined {
    if (this.liveCount === 0) return undefined;
    for (;;) {
      const row = this.places[Math.floor(Math.random() * this.places.length)];
      if (row !== undefined) return row;
    }
  }

  keys(): string[] {
    const keys: string[] = [];
    for (const row of this.places) if (row !== undefined) keys.push(row.key);
    return keys;
  }

  /** Rows in the order of insertion. */
  *values(): IterableIterator<TableRow<V>> {
    for (const row of this.places) if (row !== undefined) yield row;
  }

  private closeUp(): void {
    // Rows only move towards the front: a walk from the last position to the first misses none.
    this.places = this.places.filter((row) => row !== undefined);
    this.places.forEach((row, at) => {
      if (row !== undefined) row.at = at;
    });
  }

  /** Rebuilds the map without its dead rows. */
  private bury(): void {
    this.rows = new Map();
    for (const row of this.places) if (row !== undefined) this.rows.set(row.key, row);
  }
}
