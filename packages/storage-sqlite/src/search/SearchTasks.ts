import { bindQuery } from '@millrace/query';
import { openDatabase } from '../openDatabase.js';
import type { SqliteDatabase, SqliteStatement } from '../SqliteDatabase.js';
import {
  Deadline,
  HitWriter,
  Refusal,
  ResultBytes,
  executeSearch,
  matchQuery,
  withinTime,
  writeOutcome,
  writeWireOutcome,
  type SearchScope,
  type WrittenOutcome,
} from '@millrace/search';
import { formatCursor } from '../changeLog/formatCursor.js';
import { readLogHead } from '../schema/changeLogTables.js';
import { FrozenSearch } from './FrozenSearch.js';
import { CollectionRows } from './index/CollectionRows.js';
import { LoadedCollection, type IndexState } from './LoadedCollection.js';
import { isWholeCollection } from './isWholeCollection.js';
import type { SearchTask } from './SearchMessages.js';
import type { IndexStoring } from './stored/IndexStoring.js';
import type { IndexFileRecord } from '../writer/IndexFiles.js';
import { indexFolder } from './stored/indexFiles.js';
import { StoredIndexes } from './stored/StoredIndexes.js';
import { TableHits } from './TableHits.js';

/** The cursor or scan doesn't exist or was closed. */
export class NoCursor extends Error {
  constructor() {
    super('No such cursor');
    this.name = 'NoCursor';
  }
}

interface OpenScan {
  readonly collectionNumber: number;
  readonly rows: LoadedCollection['rows'];
  readonly rowNumbers: Float64Array;
  given: number;
}

/** Options of `SearchTasks`. */
export interface SearchTasksOptions {
  readonly databaseFile: string;
  readonly onCaughtUp: (collectionNumber: number, tombstoneNumber: number) => void;
  /** A file is complete and must be recorded in the database. Absent: nothing is stored. */
  readonly onStored?: (record: IndexFileRecord) => void;
  /** Maximum size of a result, in bytes. */
  readonly maxResultBytes: number;
}

type IsCancelled = () => boolean;

/** Time limit of a search that requests none. */
const DEFAULT_TIMEOUT_MS = 30_000;
/** Larger pages are not prepared in advance: each open cursor may hold one. */
const MAX_AHEAD_BYTES = 256 * 1024;
const SCAN_BATCH = 1_000;
/** Maximum number of collections in memory; others are loaded again when they are searched. */
const MAX_LOADED = 500;
const PAGE_CACHE_KIB = 16 * 1024;

/** Runs the tasks of the search thread, each inside one read transaction: a task sees one state of the database. */
export class SearchTasks {
  private readonly database: SqliteDatabase;
  private readonly begin: SqliteStatement;
  private readonly commit: SqliteStatement;
  private readonly collections = new Map<number, LoadedCollection>();
  private readonly cursors = new Map<number, FrozenSearch>();
  private readonly scans = new Map<number, OpenScan>();
  private readonly files: StoredIndexes;
  /** Of the present task. */
  private indexingMs = Infinity;
  /** The index that is being stored. */
  private storing: { readonly collection: LoadedCollection; readonly job: IndexStoring } | undefined;

  constructor(private readonly options: SearchTasksOptions) {
    const { databaseFile, onStored } = options;
    this.database = openDatabase(databaseFile, { readOnly: true });
    this.database.exec(`PRAGMA cell_size_check = ON; PRAGMA cache_size = -${PAGE_CACHE_KIB}`);
    this.begin = this.database.prepare('BEGIN');
    this.commit = this.database.prepare('COMMIT');
    this.files = new StoredIndexes(this.database, indexFolder(databaseFile));
    if (onStored !== undefined) this.files.cleanUp();
  }

  /**
   * @param isCancelled polled while the task runs: true once no caller waits for it
   * @param indexingMs time to update the index that the task needs; default: as long as it takes
   * @throws Cancelled, NotIndexed, ResultTooLarge, Refusal, NoCursor and the errors of the database
   */
  run(task: SearchTask, isCancelled: IsCancelled = () => false, indexingMs = Infinity): WrittenOutcome {
    this.indexingMs = indexingMs;
    return this.inTransaction(() => {
      switch (task.type) {
        case 'search':
          return this.search(task, isCancelled);
        case 'count':
          return { json: String(this.match(task, isCancelled).length) };
        case 'openCursor':
          this.openCursor(task, isCancelled);
          return { json: 'null' };
        case 'nextPage':
          return this.nextPage(task.cursor, isCancelled);
        case 'openScan':
          this.openScan(task, isCancelled);
          return { json: 'null' };
        case 'nextBatch':
          return { json: JSON.stringify(this.nextBatch(task.scan)) };
      }
    });
  }

  /** Continues updating the index of a collection for a short time. @returns `current` if it isn't loaded */
  catchUp(collectionNumber: number, sliceMs: number): IndexState {
    const collection = this.collections.get(collectionNumber);
    if (collection === undefined) return 'current';
    return this.inTransaction(() => collection.catchUp(sliceMs));
  }

  /** Loads a collection into memory, to be updated afterwards. */
  load(collectionNumber: number): void {
    this.inTransaction(() => this.loaded(collectionNumber));
  }

  /** Continues storing indexes that are worth it for a short time. @returns whether there is more to do */
  store(sliceMs: number): boolean {
    this.storing ??= this.nextToStore();
    if (this.storing === undefined) return false;
    const { collection, job } = this.storing;
    try {
      if (!job.step(sliceMs)) return true;
      this.storing = undefined;
      this.options.onStored?.(job.record);
    } catch {
      // A full disk, for example. The index is then rebuilt when it is needed.
      this.storing = undefined;
      collection.endStoring(false);
      return false;
    }
    return true;
  }

  /** The database recorded a stored index, or refused to. */
  recorded({ collectionNumber, token }: IndexFileRecord, isRecorded: boolean): void {
    this.collections.get(collectionNumber)?.endStoring(isRecorded);
    if (isRecorded) this.files.removeOthers(collectionNumber, token);
    else this.files.remove(collectionNumber, token);
  }

  /** Prepares the next page of a cursor. */
  readAhead(cursor: number): void {
    const search = this.cursors.get(cursor);
    if (search === undefined) return;
    try {
      this.inTransaction(() => {
        const deadline = new Deadline(DEFAULT_TIMEOUT_MS);
        search.readAhead({ deadline, bytes: new ResultBytes(MAX_AHEAD_BYTES) });
      });
    } catch {
      // The request for the page fails in the same way, or returns a page that is too large to keep.
    }
  }

  closeCursor(cursor: number): void {
    this.cursors.delete(cursor);
  }

  closeScan(scan: number): void {
    this.scans.delete(scan);
  }

  /** Drops a collection, with the cursors and scans on it. */
  drop(collectionNumber: number): void {
    this.collections.delete(collectionNumber);
    if (this.storing?.job.record.collectionNumber === collectionNumber) {
      this.storing.job.abandon();
      this.storing = undefined;
    }
    this.files.removeOthers(collectionNumber, undefined);
    for (const [id, cursor] of this.cursors)
      if (cursor.rows.collectionNumber === collectionNumber) this.cursors.delete(id);
    for (const [id, scan] of this.scans) if (scan.collectionNumber === collectionNumber) this.scans.delete(id);
  }

  close(): void {
    this.storing?.job.abandon();
    this.collections.clear();
    this.cursors.clear();
    this.scans.clear();
    this.database.close();
  }

  /** The name of a collection, for messages. */
  nameOf(collectionNumber: number): { readonly index: string; readonly collection: string } {
    const readers = [this.collections.get(collectionNumber), ...this.cursors.values()];
    const reader = readers.find((each) => each?.rows.collectionNumber === collectionNumber);
    return reader?.rows.readName() ?? { index: '', collection: '' };
  }

  /** The collection that a task addresses. */
  collectionOf(task: SearchTask): number | undefined {
    switch (task.type) {
      case 'search':
      case 'count':
      case 'openCursor':
      case 'openScan':
        return task.collectionNumber;
      case 'nextPage':
        return this.cursors.get(task.cursor)?.rows.collectionNumber;
      case 'nextBatch':
        return this.scans.get(task.scan)?.collectionNumber;
    }
  }

  private current(collectionNumber: number, isCancelled: IsCancelled): LoadedCollection {
    const collection = this.loaded(collectionNumber);
    collection.catchUpFor(isCancelled, this.indexingMs);
    return collection;
  }

  private loaded(collectionNumber: number): LoadedCollection {
    const known = this.collections.get(collectionNumber);
    const report = (tombstoneNumber: number) => {
      this.options.onCaughtUp(collectionNumber, tombstoneNumber);
    };
    const collection = known ?? new LoadedCollection(this.database, collectionNumber, report, this.files);
    // Moved to the end: the first entry is the least recently used.
    this.collections.delete(collectionNumber);
    this.collections.set(collectionNumber, collection);
    const [oldest] = this.collections.keys();
    if (this.collections.size > MAX_LOADED && oldest !== undefined) this.collections.delete(oldest);
    return collection;
  }

  private nextToStore(): typeof this.storing {
    if (this.options.onStored === undefined) return undefined;
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

  private search(
    { collectionNumber, request, wantsPosition, wireName }: Extract<SearchTask, { type: 'search' }>,
    isCancelled: IsCancelled,
  ): WrittenOutcome {
    const collection = this.current(collectionNumber, isCancelled);
    const position = wantsPosition ? this.position() : undefined;
    const { rows } = collection;
    const scope = this.scope(collection, request.timeoutMs, isCancelled);
    const limit = request.size === 0 ? 0 : request.from + request.size;
    return executeSearch(request, scope, { rows, limit }, (search, deadline) => {
      const hits = search.ranking?.hits(request.from, limit) ?? [];
      const writer = new HitWriter(rows, request.source, false, search.extras);
      const limits = { deadline, bytes: this.resultBytes(), position };
      if (wireName === undefined) return writeOutcome(search, hits, writer, limits);
      const form = { name: wireName, showsVersion: request.version };
      return writeWireOutcome(search, hits, writer, { ...limits, form });
    });
  }

  /** In the change log, as of the transaction. */
  private position(): string {
    const { epoch, seq } = readLogHead(this.database);
    return formatCursor(epoch, seq);
  }

  private openCursor(
    { collectionNumber, cursor, request }: Extract<SearchTask, { type: 'openCursor' }>,
    isCancelled: IsCancelled,
  ): void {
    if (isWholeCollection(request)) {
      const ranking = new TableHits(this.database, collectionNumber);
      const search = { ranking, total: ranking.length, aggregations: undefined, timedOut: false };
      const rows = new CollectionRows(this.database, collectionNumber);
      this.cursors.set(cursor, new FrozenSearch(search, request, rows));
      return;
    }
    const collection = this.current(collectionNumber, isCancelled);
    const { rows } = collection;
    const scope = this.scope(collection, request.timeoutMs, isCancelled);
    const search = executeSearch(request, scope, { rows, limit: Infinity }, (executed) => executed);
    this.cursors.set(cursor, new FrozenSearch(search, request, rows));
  }

  private nextPage(cursor: number, isCancelled: IsCancelled): WrittenOutcome {
    const search = this.cursors.get(cursor);
    if (search === undefined) throw new NoCursor();
    const deadline = deadlineOf(search.request.timeoutMs, isCancelled);
    return withinTime(
      search.excess,
      deadline,
      (ends) => search.nextPage({ deadline: ends, bytes: this.resultBytes() }),
      () => {
        throw new Refusal('The page takes longer than the time limit of a search permits');
      },
    );
  }

  private match(
    { collectionNumber, query }: Extract<SearchTask, { type: 'count' | 'openScan' }>,
    isCancelled: IsCancelled,
  ): Int32Array {
    const scope = this.scope(this.current(collectionNumber, isCancelled), undefined, isCancelled);
    const bound = bindQuery(query, scope.index.mapping, scope.nowMs);
    return withinTime(
      bound.excess,
      scope.deadline,
      (deadline) => matchQuery(bound.query, { ...scope, deadline }, false).slots,
      () => {
        throw new Refusal('The query takes longer than the time limit of a search permits');
      },
    );
  }

  private scope(collection: LoadedCollection, timeoutMs: number | undefined, isCancelled: IsCancelled): SearchScope {
    return collection.scope(deadlineOf(timeoutMs, isCancelled), this.resultBytes());
  }

  private resultBytes(): ResultBytes {
    return new ResultBytes(this.options.maxResultBytes);
  }

  private openScan(task: Extract<SearchTask, { type: 'openScan' }>, isCancelled: IsCancelled): void {
    const slots = this.match(task, isCancelled);
    const { index, rows } = this.loaded(task.collectionNumber);
    const rowNumbers = Float64Array.from(slots, (slot) => index.rowOf(slot));
    this.scans.set(task.scan, {
      collectionNumber: task.collectionNumber,
      rows,
      rowNumbers,
      given: 0,
    });
  }

  /** Documents changed since the scan began are left out: they may no longer match. */
  private nextBatch(id: number): { readonly id: string; readonly version: number }[] | null {
    const scan = this.scans.get(id);
    if (scan === undefined) throw new NoCursor();
    const batch: { readonly id: string; readonly version: number }[] = [];
    while (batch.length < SCAN_BATCH && scan.given < scan.rowNumbers.length) {
      const row = scan.rows.read(scan.rowNumbers[scan.given] as number, false);
      scan.given += 1;
      if (row !== undefined) batch.push({ id: row.id, version: row.version });
    }
    return batch.length === 0 ? null : batch;
  }

  /** Bytes of the heap and its buffers. */
  memoryUsed(): number {
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  }

  private inTransaction<T>(work: () => T): T {
    this.begin.run();
    try {
      return work();
    } finally {
      this.commit.run();
    }
  }
}

function deadlineOf(timeoutMs: number | undefined, isCancelled: IsCancelled): Deadline {
  return new Deadline(Math.min(timeoutMs ?? DEFAULT_TIMEOUT_MS, DEFAULT_TIMEOUT_MS), isCancelled);
}
