import type { SqliteDatabase } from '../SqliteDatabase.js';
import type { CollectionMark } from './WriterEntry.js';

/** The last row and tombstone numbers of one collection. */
export interface Numbers {
  rowNumber: number;
  tombstoneNumber: number;
}

/**
 * Assigns each collection its row numbers and tombstone numbers. They grow and are never reused while the
 * process lives. SQLite's default (highest present + 1) reuses a number once the highest row is deleted: the search
 * index would then miss the new row. A worker that replaces a dead one continues above the numbers of that one.
 */
export class CollectionNumbers {
  private readonly numbersByCollection = new Map<number, Numbers>();
  private readonly floors: ReadonlyMap<number, CollectionMark>;

  constructor(
    private readonly database: SqliteDatabase,
    floors: readonly CollectionMark[],
    private readonly unknownNumbers: number,
  ) {
    const highest = new Map<number, CollectionMark>();
    for (const { collectionNumber, rowNumber, tombstoneNumber } of floors) {
      const known = highest.get(collectionNumber);
      highest.set(collectionNumber, {
        collectionNumber,
        rowNumber: Math.max(rowNumber, known?.rowNumber ?? 0),
        tombstoneNumber: Math.max(tombstoneNumber, known?.tombstoneNumber ?? 0),
      });
    }
    this.floors = highest;
  }

  /** The numbers of a collection, for the caller to increment. */
  of(collectionNumber: number): Numbers {
    let numbers = this.numbersByCollection.get(collectionNumber);
    if (numbers === undefined) {
      const floor = this.floors.get(collectionNumber);
      const highestRowNumber = Math.max(
        this.highest(`docs_${collectionNumber}`, 'n'),
        this.highest(`gone_${collectionNumber}`, 'n'),
        floor?.rowNumber ?? 0,
      );
      const highestTombstoneNumber = Math.max(
        this.highest(`gone_${collectionNumber}`, 's'),
        floor?.tombstoneNumber ?? 0,
      );
      numbers = {
        rowNumber: highestRowNumber + this.unknownNumbers,
        tombstoneNumber: highestTombstoneNumber + this.unknownNumbers,
      };
      this.numbersByCollection.set(collectionNumber, numbers);
    }
    return numbers;
  }

  /** The collection is permanently gone. */
  forget(collectionNumber: number): void {
    this.numbersByCollection.delete(collectionNumber);
  }

  private highest(table: string, column: string): number {
    const row = this.database.prepare(`SELECT max(${column}) AS highest FROM ${table}`).get();
    return Number(row?.['highest'] ?? 0);
  }
}
