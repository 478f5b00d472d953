import { checkQueryAgainstMapping, measureQueryWork } from '@millrace/query';
import { openDatabase } from '../openDatabase.js';
import type { SqliteDatabase } from '../SqliteDatabase.js';
import { COSTLY_TIMEOUT_MS, TimeIsUp } from './Deadline.js';
import { executeSearch, writeOutcome } from './executeSearch.js';
import { FrozenSearch } from './FrozenSearch.js';
import { LoadedCollection } from './LoadedCollection.js';
import { matchQuery } from './matchQuery.js';
import { Refusal } from './Refusal.js';
import { HitWriter } from './results/HitWriter.js';
import type { SearchTask } from './SearchMessages.js';
import type { IndexFileRecord, IndexStoring } from './stored/IndexStoring.js';
import { StoredIndexes } from './stored/StoredIndexes.js';

/** A cursor or scan that is not open (any more). */
export class NoCursor extends Error {
  constructor() {
    super('No such cursor');
    this.name = 'NoCursor';
  }
}

interface OpenScan {
  readonly k: number;
  readonly rows: LoadedCollection['rows'];
  readonly ns: Float64Array;
  given: number;
}

const SCAN_BATCH = 1_000;
/** More collections are not kept in memory; one that is asked for again is loaded again. */
const MAX_LOADED = 500;
const PAGE_CACHE_KIB = 16 * 1024;

/** Runs the tasks of the search thread, each inside one read transaction: a task sees one state of the database. */
export class SearchTasks {
  private readonly database: SqliteDatabase;
  private readonly collections = new Map<number, LoadedCollection>();
  private readonly cursors = new Map<number, FrozenSearch>();
  private readonly scans = new Map<number, OpenScan>();
  private readonly files: StoredIndexes;
  /** The index that is being stored. */
  private storing:
    { readonly collection: LoadedCollection; readonly job: IndexStoring } | undefined;

  constructor(
    databaseFile: string,
    private readonly onCaughtUp: (k: number, s: number) => void,
    /** A file is whole and waits for the database to take note of it. Absent: nothing is stored. */
    private readonly onStored?: (record: IndexFileRecord) => void,
  ) {
    this.database = openDatabase(databaseFile, { readOnly: true });
    this.database.exec(`PRAGMA cell_size_check = ON; PRAGMA cache_size = -${PAGE_CACHE_KIB}`);
    this.files = new StoredIndexes(this.database, `${databaseFile}-index`);
    if (onStored !== undefined) this.files.cleanUp();
  }

  /** @returns the result as JSON text */
  run(task: SearchTask): string {
    if (task.type === 'memoryUsed') return String(this.memoryUsed());
    return this.inTransaction(() => {
      switch (task.type) {
        case 'search': {
          const { request } = task;
          const collection = this.current(task.k);
          const limit = request.size === 0 ? 0 : request.from + request.size;
          const search = executeSearch(
            request,
            collection.scope(request.timeoutMs),
            collection.rows,
            limit,
          );
          const hits = search.ranking?.hits(request.from, limit) ?? [];
          const { source } = request;
          const writer = new HitWriter(collection.rows, source, false, search.extras);
          return writeOutcome(search, hits, writer);
        }
        case 'count':
          return String(this.match(task.k, task).length);
        case 'openCursor': {
          const { request } = task;
          const collection = this.current(task.k);
          const search = executeSearch(
            request,
            collection.scope(request.timeoutMs),
            collection.rows,
            Infinity,
          );
          this.cursors.set(task.cursor, new FrozenSearch(task.k, search, request, collection.rows));
          return 'null';
        }
        case 'nextPage': {
          const cursor = this.cursors.get(task.cursor);
          if (cursor === undefined) throw new NoCursor();
          return cursor.nextPage();
        }
        case 'openScan':
          this.openScan(task);
          return 'null';
        case 'nextBatch':
          return JSON.stringify(this.nextBatch(task.scan));
      }
    });
  }

  /** Goes on with the index of a collection for a short time. @returns whether it is up to date, or not loaded */
  catchUp(k: number, sliceMs: number): boolean {
    const collection = this.collections.get(k);
    return collection === undefined || this.inTransaction(() => collection.catchUp(sliceMs));
  }

  /** Takes a collection into memory, to be caught up. */
  load(k: number): void {
    this.inTransaction(() => this.loaded(k));
  }

  /** Goes on storing indexes that are worth it for a short time. @returns whether there is more to do */
  store(sliceMs: number): boolean {
    this.storing ??= this.nextToStore();
    if (this.storing === undefined) return false;
    const { collection, job } = this.storing;
    try {
      if (!job.step(sliceMs)) return true;
      this.storing = undefined;
      this.onStored?.(job.record);
    } catch {
      // A full disk, for example. Whoever needs the index builds it.
      this.storing = undefined;
      collection.endStoring(false);
      return false;
    }
    return true;
  }

  /** The database took note of a stored index, or refused to. */
  recorded({ k, token }: IndexFileRecord, isRecorded: boolean): void {
    this.collections.get(k)?.endStoring(isRecorded);
    if (isRecorded) this.files.removeOthers(k, token);
    else this.files.remove(k, token);
  }

  /** Makes the next page of a cursor, which its reader will ask for. */
  readAhead(cursor: number): void {
    const search = this.cursors.get(cursor);
    if (search === undefined) return;
    try {
      this.inTransaction(() => {
        search.readAhead();
      });
    } catch {
      // Whoever asks for the page meets the same failure, and is told it.
    }
  }

  closeCursor(cursor: number): void {
    this.cursors.delete(cursor);
  }

  closeScan(scan: number): void {
    this.scans.delete(scan);
  }

  /** Forgets a collection, with the cursors and scans on it. */
  drop(k: number): void {
    this.collections.delete(k);
    if (this.storing?.job.record.k === k) {
      this.storing.job.abandon();
      this.storing = undefined;
    }
    this.files.removeOthers(k, undefined);
    for (const [id, cursor] of this.cursors) if (cursor.k === k) this.cursors.delete(id);
    for (const [id, scan] of this.scans) if (scan.k === k) this.scans.delete(id);
  }

  close(): void {
    this.storing?.job.abandon();
    this.collections.clear();
    this.cursors.clear();
    this.scans.clear();
    this.database.close();
  }

  /** The name of a collection, for messages. */
  nameOf(k: number): { readonly index: string; readonly collection: string } {
    const head = this.collections.get(k)?.rows.readHead();
    return { index: head?.index ?? '', collection: head?.collection ?? '' };
  }

  /** The collection a task is about. */
  collectionOf(task: SearchTask): number | undefined {
    switch (task.type) {
      case 'search':
      case 'count':
      case 'openCursor':
      case 'openScan':
        return task.k;
      case 'nextPage':
        return this.cursors.get(task.cursor)?.k;
      case 'nextBatch':
        return this.scans.get(task.scan)?.k;
      case 'memoryUsed':
        return undefined;
    }
  }

  private current(k: number): LoadedCollection {
    const collection = this.loaded(k);
    collection.catchUp(Infinity);
    return collection;
  }

  private loaded(k: number): LoadedCollection {
    const known = this.collections.get(k);
    const report = (s: number) => {
      this.onCaughtUp(k, s);
    };
    const collection = known ?? new LoadedCollection(this.database, k, report, this.files);
    // Put last: the first one is the one that was not asked for the longest.
    this.collections.delete(k);
    this.collections.set(k, collection);
    const [oldest] = this.collections.keys();
    if (this.collections.size > MAX_LOADED && oldest !== undefined) this.collections.delete(oldest);
    return collection;
  }

  private nextToStore(): typeof this.storing {
    if (this.onStored === undefined) return undefined;
    for (const collection of this.collections.values()) {
      if (!collection.isWorthStoring) continue;
      try {
        const job = this.inTransaction(() => collection.beginStoring());
        if (job !== undefined) return { collection, job };
      } catch {
        collection.endStoring(false);
        return undefined;
      }
    }
    return undefined;
  }

  private match(
    k: number,
    { query }: Extract<SearchTask, { type: 'count' | 'openScan' }>,
  ): Int32Array {
    try {
      const scope = this.current(k).scope(undefined);
      const { mapping } = scope.index;
      checkQueryAgainstMapping(query, mapping, scope.nowMs);
      const isCostly = measureQueryWork(query, mapping) !== undefined;
      const deadline = isCostly ? scope.deadline.within(COSTLY_TIMEOUT_MS) : scope.deadline;
      return matchQuery(query, { ...scope, deadline }, 'documents').slots;
    } catch (error) {
      if (!(error instanceof TimeIsUp)) throw error;
      throw new Refusal('The query takes longer than the time limit of a search permits');
    }
  }

  private openScan(task: Extract<SearchTask, { type: 'openScan' }>): void {
    const slots = this.match(task.k, task);
    const collection = this.current(task.k);
    const { index } = collection.scope(undefined);
    const ns = Float64Array.from(slots, (slot) => index.rowOf(slot));
    this.scans.set(task.scan, { k: task.k, rows: collection.rows, ns, given: 0 });
  }

  /** Documents that changed since are left out: they are no longer what the scan found. */
  private nextBatch(id: number): { readonly id: string; readonly version: number }[] | null {
    const scan = this.scans.get(id);
    if (scan === undefined) throw new NoCursor();
    const batch: { readonly id: string; readonly version: number }[] = [];
    while (batch.length < SCAN_BATCH && scan.given < scan.ns.length) {
      const row = scan.rows.read(scan.ns[scan.given] as number, false);
      scan.given += 1;
      if (row !== undefined) batch.push({ id: row.id, version: row.version });
    }
    return batch.length === 0 ? null : batch;
  }

  private memoryUsed(): number {
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  }

  private inTransaction<T>(work: () => T): T {
    this.database.exec('BEGIN');
    try {
      return work();
    } finally {
      this.database.exec('COMMIT');
    }
  }
}
