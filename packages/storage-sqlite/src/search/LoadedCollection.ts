import type { SqliteDatabase } from '../SqliteDatabase.js';
import { Deadline } from './Deadline.js';
import { CollectionRows } from './index/CollectionRows.js';
import { IndexLoader } from './index/IndexLoader.js';
import type { SearchScope } from './SearchScope.js';

/** A search that asks for no other limit ends after this long. */
const DEFAULT_TIMEOUT_MS = 30_000;
const IDS_PER_BATCH = 5_000;

/** A collection whose index is in memory. Its methods are to be called inside a read transaction. */
export class LoadedCollection {
  readonly rows: CollectionRows;
  private readonly loader: IndexLoader;
  private reportedTombstone = 0;

  constructor(
    database: SqliteDatabase,
    k: number,
    private readonly onCaughtUp: (s: number) => void,
  ) {
    this.rows = new CollectionRows(database, k);
    this.loader = new IndexLoader(this.rows);
  }

  /**
   * Brings the index up to the snapshot of the transaction.
   * @param sliceMs stops after so long, unfinished; Infinity: never
   * @returns whether all is done
   */
  catchUp(sliceMs: number): boolean {
    const endMs = performance.now() + sliceMs;
    const isComplete = this.loader.catchUp(() => performance.now() > endMs);
    const { lastTombstone } = this.loader.index;
    if (lastTombstone > this.reportedTombstone) {
      this.reportedTombstone = lastTombstone;
      this.onCaughtUp(lastTombstone);
    }
    return isComplete;
  }

  /** A scope for one request on the index as it is now. */
  scope(timeoutMs: number | undefined): SearchScope {
    const { index } = this.loader;
    return {
      index,
      nowMs: Date.now(),
      deadline: new Deadline(Math.min(timeoutMs ?? DEFAULT_TIMEOUT_MS, DEFAULT_TIMEOUT_MS)),
      findIds: (ids) => this.findIds(ids),
      loadIds: () => this.loadIds(),
    };
  }

  get byteLength(): number {
    return this.loader.index.byteLength;
  }

  private findIds(ids: readonly string[]): Int32Array {
    const slots = new Set<number>();
    for (const id of ids) {
      const n = this.rows.findRow(id);
      const slot = n === undefined ? -1 : this.loader.index.slotOf(n);
      if (slot >= 0) slots.add(slot);
    }
    return Int32Array.from(slots).sort();
  }

  private loadIds(): readonly string[] {
    const { index } = this.loader;
    if (index.ids !== undefined) return index.ids;
    const ids = new Array<string>(index.slotCount).fill('');
    for (let n = 0; ;) {
      const batch = this.rows.readIdsAfter(n, IDS_PER_BATCH);
      for (const [row, id] of batch) {
        const slot = index.slotOf(row);
        if (slot >= 0) ids[slot] = id;
        n = row;
      }
      if (batch.length < IDS_PER_BATCH) break;
    }
    index.ids = ids;
    return ids;
  }
}
