import type { SqliteDatabase, SqliteStatement } from '../SqliteDatabase.js';
import { Cancelled, type CollectionIndex, type Deadline, type ResultBytes, type SearchScope } from '@millrace/search';
import { CollectionRows } from './index/CollectionRows.js';
import { IndexLoader } from './index/IndexLoader.js';
import type { IndexStoring } from './stored/IndexStoring.js';
import type { StoredIndexes } from './stored/StoredIndexes.js';

const IDS_PER_BATCH = 5_000;

/** Smaller indexes are built quickly. */
const MIN_SLOTS_TO_STORE = 20_000;
/** An index is stored again after this many writes, if they also are a sufficient part of all documents. */
const MIN_CHANGES_TO_STORE = 10_000;
const MIN_PART_TO_STORE = 1 / 8;

/** The index that a task needs isn't up to date yet. */
export class NotIndexed extends Error {
  constructor(readonly collectionNumber: number) {
    super('The index is being built');
    this.name = 'NotIndexed';
  }
}

/** `unpacked`: up to date, but its postings are still being rearranged for faster searches. */
export type IndexState = 'behind' | 'unpacked' | 'current';

/** State of the stored index. */
interface StoredState {
  readonly index: CollectionIndex;
  readonly slotCount: number;
  readonly lastTombstone: number;
}

/** A collection whose index is in memory. Call its methods inside a read transaction. */
export class LoadedCollection {
  readonly rows: CollectionRows;
  private readonly loader: IndexLoader;
  private reportedTombstone = 0;
  private stored: StoredState | undefined;
  private isStoring = false;
  /** `data_version` of the snapshot that the index is equal to. */
  private indexedVersion: number | undefined;
  private readonly dataVersion: SqliteStatement;

  constructor(
    database: SqliteDatabase,
    private readonly collectionNumber: number,
    private readonly onCaughtUp: (tombstoneNumber: number) => void,
    private readonly files: StoredIndexes,
  ) {
    this.rows = new CollectionRows(database, collectionNumber);
    this.dataVersion = database.prepare('PRAGMA data_version');
    this.dataVersion.setReturnArrays(true);
    const index = files.load(collectionNumber);
    this.loader = new IndexLoader(this.rows, index);
    if (index === undefined) return;
    this.reportedTombstone = index.lastTombstone;
    this.stored = stateOf(index);
  }

  /**
   * Updates the index to the snapshot of the transaction.
   * @param sliceMs stops unfinished after this time, in milliseconds; Infinity: never
   */
  catchUp(sliceMs: number): IndexState {
    const endMs = performance.now() + sliceMs;
    const isOver = () => performance.now() > endMs;
    if (!this.catchUpUntil(isOver)) return 'behind';
    return this.loader.pack(isOver) ? 'current' : 'unpacked';
  }

  /** As `catchUp`, for a search. Progress is kept. @throws Cancelled, or NotIndexed at the end of the time */
  catchUpFor(isCancelled: () => boolean, sliceMs: number): void {
    const endMs = performance.now() + sliceMs;
    if (this.catchUpUntil(() => isCancelled() || performance.now() > endMs)) return;
    throw isCancelled() ? new Cancelled() : new NotIndexed(this.collectionNumber);
  }

  private catchUpUntil(isOver: () => boolean): boolean {
    const [version] = this.dataVersion.get() as unknown as readonly [number];
    // The same version: nothing was committed since, to whatever collection.
    if (version === this.indexedVersion) return true;
    const isComplete = this.loader.catchUp(isOver);
    this.indexedVersion = isComplete ? version : undefined;
    this.report();
    return isComplete;
  }

  /** Whether a stored index would shorten the next start considerably. */
  get isWorthStoring(): boolean {
    const { index } = this.loader;
    if (this.isStoring || index.slotCount < MIN_SLOTS_TO_STORE) return false;
    const { stored } = this;
    if (stored?.index !== index) return true;
    const changes = index.slotCount - stored.slotCount + index.lastTombstone - stored.lastTombstone;
    return changes >= Math.max(MIN_CHANGES_TO_STORE, index.slotCount * MIN_PART_TO_STORE);
  }

  /**
   * Undefined if the index was built with another mapping version than the catalog's; it can be stored once they match.
   */
  beginStoring(): IndexStoring | undefined {
    const { index } = this.loader;
    if (this.rows.readHead()?.version !== index.mappingVersion) return undefined;
    const storing = this.files.begin(this.collectionNumber, index, this.rows.readMapping());
    this.isStoring = true;
    this.stored = stateOf(index);
    return storing;
  }

  /** Tombstones that a stored index needs were not reported as read while it was being stored: now they are. */
  endStoring(isRecorded: boolean): void {
    this.isStoring = false;
    if (!isRecorded) this.stored = undefined;
    this.report();
  }

  private report(): void {
    const { lastTombstone } = this.loader.index;
    if (this.isStoring || lastTombstone <= this.reportedTombstone) return;
    this.reportedTombstone = lastTombstone;
    this.onCaughtUp(lastTombstone);
  }

  /** A scope for one request on the current index. */
  scope(deadline: Deadline, bytes: ResultBytes): SearchScope {
    const { index } = this.loader;
    return {
      index,
      nowMs: Date.now(),
      deadline,
      bytes,
      findIds: (ids) => this.findIds(ids, deadline),
      loadIds: () => this.loadIds(deadline),
    };
  }

  get index(): CollectionIndex {
    return this.loader.index;
  }

  get byteLength(): number {
    return this.loader.index.byteLength;
  }

  private findIds(ids: readonly string[], deadline: Deadline): Int32Array {
    const slots = new Set<number>();
    for (const [i, id] of ids.entries()) {
      if ((i & 1023) === 1023) deadline.check();
      const rowNumber = this.rows.findRow(id);
      const slot = rowNumber === undefined ? -1 : this.loader.index.slotOf(rowNumber);
      if (slot >= 0) slots.add(slot);
    }
    return Int32Array.from(slots).sort();
  }

  private loadIds(deadline: Deadline): readonly string[] {
    const { index } = this.loader;
    if (index.ids !== undefined) return index.ids;
    const ids = new Array<string>(index.slotCount).fill('');
    for (let rowNumber = 0; ;) {
      deadline.check();
      const batch = this.rows.readIdsAfter(rowNumber, IDS_PER_BATCH);
      for (const [row, id] of batch) {
        const slot = index.slotOf(row);
        if (slot >= 0) ids[slot] = id;
        rowNumber = row;
      }
      if (batch.length < IDS_PER_BATCH) break;
    }
    index.ids = ids;
    return ids;
  }
}

function stateOf(index: CollectionIndex): StoredState {
  return { index, slotCount: index.slotCount, lastTombstone: index.lastTombstone };
}
