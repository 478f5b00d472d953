import type { IndexFileRecord } from '../search/stored/IndexStoring.js';
import type { SqliteDatabase } from '../SqliteDatabase.js';
import type { CollectionMark } from './WriterEntry.js';

/**
 * Maximum number of tombstones kept for a stored index that is not updated. Beyond it the index is discarded: updating
 * it would take as long as building it.
 */
const MAX_KEPT_TOMBSTONES = 200_000;

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
      const k = Number(row['k']);
      const record = { k, n: Number(row['n']), s: Number(row['s']), token: String(row['token']) };
      this.records.set(k, record);
    }
  }

  has(k: number): boolean {
    return this.records.has(k);
  }

  /** Numbers that must not be reused: stored indexes contain them. */
  marks(): CollectionMark[] {
    return [...this.records.values()];
  }

  /** @returns false if tombstones that the index would need are gone */
  put(record: IndexFileRecord): boolean {
    const { k, n, s, token } = record;
    if ((this.pruned.get(k) ?? 0) > s) return false;
    this.database
      .prepare('INSERT OR REPLACE INTO index_files(k, n, s, token) VALUES(?, ?, ?, ?)')
      .run(k, n, s, token);
    this.records.set(k, record);
    this.prune(k, this.readTombstones.get(k) ?? 0);
    return true;
  }

  /** Removes tombstones up to `s` that no index needs any more. */
  prune(k: number, s: number): void {
    this.readTombstones.set(k, s);
    const last = Math.min(s, this.records.get(k)?.s ?? Infinity);
    this.removeTombstones(k, last);
  }

  /** Called at a start: no index is in memory. */
  clearTombstones(k: number): void {
    const record = this.records.get(k);
    if (record !== undefined) this.removeTombstones(k, record.s);
  }

  /** The first collection whose stored index is too outdated to be useful. */
  findOutdated(highestS: (k: number) => number): number | undefined {
    for (const { k, s } of this.records.values()) {
      if (highestS(k) - s > MAX_KEPT_TOMBSTONES) return k;
    }
    return undefined;
  }

  /** Discards a stored index. @param isLoaded whether an index in memory still reads tombstones */
  giveUp(k: number, isLoaded: boolean): void {
    this.forget(k);
    this.removeTombstones(k, isLoaded ? (this.readTombstones.get(k) ?? 0) : Infinity);
  }

  /** The collection is gone. */
  forget(k: number): void {
    if (!this.records.delete(k)) return;
    this.database.prepare('DELETE FROM index_files WHERE k = ?').run(k);
  }

  private removeTombstones(k: number, last: number): void {
    if (last <= (this.pruned.get(k) ?? 0)) return;
    if (last === Infinity) this.database.exec(`DELETE FROM gone_${k}`);
    else this.database.prepare(`DELETE FROM gone_${k} WHERE s <= ?`).run(last);
    this.pruned.set(k, last);
  }
}
