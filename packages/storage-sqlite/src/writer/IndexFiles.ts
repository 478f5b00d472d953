import type { SqliteDatabase } from '../SqliteDatabase.js';
import type { CollectionMark } from './WriterEntry.js';

/**
 * Maximum number of tombstones kept for a stored index that is not updated. Beyond it the index is discarded: updating
 * it would take as long as building it.
 */
const MAX_KEPT_TOMBSTONES = 200_000;

/** The database's record of a stored index: the index contains all rows and tombstones up to these. */
export interface IndexFileRecord {
  readonly collectionNumber: number;
  readonly rowNumber: number;
  readonly tombstoneNumber: number;
  readonly token: string;
}

/**
 * The writer's records of stored search indexes (see search/stored/StoredIndexes): each needs the tombstones after the
 * one it was stored at, including those of earlier processes. Call it inside a transaction, except for the constructor
 * and the queries.
 */
export class IndexFiles {
  private readonly records = new Map<number, IndexFileRecord>();
  /** By collection: the search index in memory has read the tombstones up to here. */
  private readonly readTombstones = new Map<number, number>();
  /** By collection: tombstones up to here are gone. */
  private readonly pruned = new Map<number, number>();

  constructor(private readonly database: SqliteDatabase) {
    this.reload();
  }

  /** Loads the records from the file: after a start, or after a transaction was rolled back. */
  reload(): void {
    this.records.clear();
    for (const row of this.database.prepare('SELECT k, n, s, token FROM index_files').all()) {
      const collectionNumber = Number(row['k']);
      const record = {
        collectionNumber,
        rowNumber: Number(row['n']),
        tombstoneNumber: Number(row['s']),
        token: String(row['token']),
      };
      this.records.set(collectionNumber, record);
    }
  }

  has(collectionNumber: number): boolean {
    return this.records.has(collectionNumber);
  }

  /** Numbers that must not be reused: stored indexes contain them. */
  marks(): CollectionMark[] {
    return [...this.records.values()];
  }

  /** @returns false if tombstones that the index would need are gone */
  put(record: IndexFileRecord): boolean {
    const { collectionNumber, rowNumber, tombstoneNumber, token } = record;
    if ((this.pruned.get(collectionNumber) ?? 0) > tombstoneNumber) return false;
    this.database
      .prepare('INSERT OR REPLACE INTO index_files(k, n, s, token) VALUES(?, ?, ?, ?)')
      .run(collectionNumber, rowNumber, tombstoneNumber, token);
    this.records.set(collectionNumber, record);
    this.prune(collectionNumber, this.readTombstones.get(collectionNumber) ?? 0);
    return true;
  }

  /** Removes tombstones up to `tombstoneNumber` that no index needs any more. */
  prune(collectionNumber: number, tombstoneNumber: number): void {
    this.readTombstones.set(collectionNumber, tombstoneNumber);
    const last = Math.min(tombstoneNumber, this.records.get(collectionNumber)?.tombstoneNumber ?? Infinity);
    this.removeTombstones(collectionNumber, last);
  }

  /** Called at a start: no index is in memory. */
  clearTombstones(collectionNumber: number): void {
    const record = this.records.get(collectionNumber);
    if (record !== undefined) this.removeTombstones(collectionNumber, record.tombstoneNumber);
  }

  /** The first collection whose stored index is too outdated to be useful. */
  findOutdated(highestTombstoneNumber: (collectionNumber: number) => number): number | undefined {
    for (const { collectionNumber, tombstoneNumber } of this.records.values()) {
      if (highestTombstoneNumber(collectionNumber) - tombstoneNumber > MAX_KEPT_TOMBSTONES) return collectionNumber;
    }
    return undefined;
  }

  /** Discards a stored index. @param isLoaded whether an index in memory still reads tombstones */
  giveUp(collectionNumber: number, isLoaded: boolean): void {
    this.forget(collectionNumber);
    this.removeTombstones(collectionNumber, isLoaded ? (this.readTombstones.get(collectionNumber) ?? 0) : Infinity);
  }

  /** The collection is gone. */
  forget(collectionNumber: number): void {
    if (!this.records.delete(collectionNumber)) return;
    this.database.prepare('DELETE FROM index_files WHERE k = ?').run(collectionNumber);
  }

  private removeTombstones(collectionNumber: number, last: number): void {
    if (last <= (this.pruned.get(collectionNumber) ?? 0)) return;
    if (last === Infinity) this.database.exec(`DELETE FROM gone_${collectionNumber}`);
    else this.database.prepare(`DELETE FROM gone_${collectionNumber} WHERE s <= ?`).run(last);
    this.pruned.set(collectionNumber, last);
  }
}
