import type { SqliteDatabase } from '../SqliteDatabase.js';
import type { CollectionMark } from './WriterEntry.js';

/** The numbers that one collection gave out last. */
export interface Numbers {
  n: number;
  s: number;
}

/**
 * Gives each collection its row numbers `n` and tombstone numbers `s`. They grow and are never used twice while the
 * process lives, which SQLite's own choice (highest present + 1) would not hold once the highest row is deleted: the
 * search index would then miss the new row. A worker that replaces a dead one goes on above what that one gave out.
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

  /** The numbers of a collection, to be raised by the caller. */
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

  /** The collection is gone for good. */
  forget(k: number): void {
    this.numbersByK.delete(k);
  }

  private highest(table: string, column: string): number {
    const row = this.database.prepare(`SELECT max(${column}) AS highest FROM ${table}`).get();
    return Number(row?.['highest'] ?? 0);
  }
}
