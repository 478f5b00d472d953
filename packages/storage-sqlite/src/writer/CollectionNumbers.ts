import type { SqliteDatabase } from '../SqliteDatabase.js';
import type { CollectionMark } from './WriterEntry.js';

/** The last row and tombstone numbers of one collection. */
export interface Numbers {
  n: number;
  s: number;
}

/**
 * Assigns each collection its row numbers `n` and tombstone numbers `s`. They grow and are never reused while the
 * process lives. SQLite's default (highest present + 1) reuses a number once the highest row is deleted: the search
 * index would then miss the new row. A worker that replaces a dead one continues above the numbers of that one.
 */
export class CollectionNumbers {
  private readonly numbersByK = new Map<number, Numbers>();
  private readonly floors: ReadonlyMap<number, CollectionMark>;

  constructor(
    private readonly database: SqliteDatabase,
    floors: readonly CollectionMark[],
    private readonly unknownNumbers: number,
  ) {
    const highest = new Map<number, CollectionMark>();
    for (const { k, n, s } of floors) {
      const known = highest.get(k);
      highest.set(k, { k, n: Math.max(n, known?.n ?? 0), s: Math.max(s, known?.s ?? 0) });
    }
    this.floors = highest;
  }

  /** The numbers of a collection, for the caller to increment. */
  of(k: number): Numbers {
    let numbers = this.numbersByK.get(k);
    if (numbers === undefined) {
      const floor = this.floors.get(k);
      const highestN = Math.max(
        this.highest(`docs_${k}`, 'n'),
        this.highest(`gone_${k}`, 'n'),
        floor?.n ?? 0,
      );
      const highestS = Math.max(this.highest(`gone_${k}`, 's'), floor?.s ?? 0);
      numbers = { n: highestN + this.unknownNumbers, s: highestS + this.unknownNumbers };
      this.numbersByK.set(k, numbers);
    }
    return numbers;
  }

  /** The collection is permanently gone. */
  forget(k: number): void {
    this.numbersByK.delete(k);
  }

  private highest(table: string, column: string): number {
    const row = this.database.prepare(`SELECT max(${column}) AS highest FROM ${table}`).get();
    return Number(row?.['highest'] ?? 0);
  }
}
