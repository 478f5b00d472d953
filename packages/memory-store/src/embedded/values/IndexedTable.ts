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
 */
export class IndexedTable<V> {
  private readonly rows = new Map<string, TableRow<V>>();
  private places: (TableRow<V> | undefined)[] = [];

  get size(): number {
    return this.rows.size;
  }

  /** Places in use or left behind: the bound of `rowAt`. */
  get placeCount(): number {
    return this.places.length;
  }

  get(key: string): V | undefined {
    return this.rows.get(key)?.value;
  }

  has(key: string): boolean {
    return this.rows.has(key);
  }

  /** @returns true where the key is new */
  set(key: string, value: V): boolean {
    const known = this.rows.get(key);
    if (known !== undefined) {
      known.value = value;
      return false;
    }
    const row = { key, value, at: this.places.length };
    this.rows.set(key, row);
    this.places.push(row);
    return true;
  }

  /** @returns the value removed */
  delete(key: string): V | undefined {
    const row = this.rows.get(key);
    if (row === undefined) return undefined;
    this.rows.delete(key);
    this.places[row.at] = undefined;
    row.at = -1;
    if (this.places.length > 2 * this.rows.size + 16) this.closeUp();
    return row.value;
  }

  clear(): void {
    this.rows.clear();
    this.places = [];
  }

  /** The row at a place; places may be empty. */
  rowAt(place: number): TableRow<V> | undefined {
    return this.places[place];
  }

  /** Some row; undefined in an empty table. */
  random(): TableRow<V> | undefined {
    if (this.rows.size === 0) return undefined;
    for (;;) {
      const row = this.places[Math.floor(Math.random() * this.places.length)];
      if (row !== undefined) return row;
    }
  }

  keys(): string[] {
    return [...this.rows.keys()];
  }

  /** Rows in the order of insertion. */
  values(): IterableIterator<TableRow<V>> {
    return this.rows.values();
  }

  private closeUp(): void {
    // Rows only move towards the front: who walks the places from the end misses none.
    this.places = this.places.filter((row) => row !== undefined);
    this.places.forEach((row, at) => {
      if (row !== undefined) row.at = at;
    });
  }
}
