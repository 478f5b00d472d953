/** One row: its place in the order of insertion, or -1 once removed. */
export interface TableRow<V> {
  readonly key: string;
  value: V;
  at: number;
}

/**
 * A map that keeps the order of insertion and can give a random row. Rows stand in an array; removing one leaves a hole,
 * and once holes outnumber rows the array is closed up: every operation is constant in the mean, and a random pick hits a
 * row every second time at worst.
 *
 * A removed row stays in the map until as many are dead as live: V8 keeps deleted entries in the chain of their bucket
 * until it rehashes, so that a key which comes and goes (a queue that runs empty) was found through thousands of them.
 */
export class IndexedTable<V> {
  private rows = new Map<string, TableRow<V | undefined>>();
  private places: (TableRow<V> | undefined)[] = [];
  private liveCount = 0;

  get size(): number {
    return this.liveCount;
  }

  /** Places in use or left behind: the bound of `rowAt`. */
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

  /** @returns true where the key is new */
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

  /** @returns the value removed */
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

  /** The row at a place; places may be empty. */
  rowAt(place: number): TableRow<V> | undefined {
    return this.places[place];
  }

  /** Some row; undefined in an empty table. */
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
    // Rows only move towards the front: who walks the places from the end misses none.
    this.places = this.places.filter((row) => row !== undefined);
    this.places.forEach((row, at) => {
      if (row !== undefined) row.at = at;
    });
  }

  /** Makes the map anew without its dead rows. */
  private bury(): void {
    this.rows = new Map();
    for (const row of this.places) if (row !== undefined) this.rows.set(row.key, row);
  }
}
