import type { CollectionName } from '@millrace/kernel';
import { readCollectionRows } from '../schema/catalogTables.js';
import { clearCollectionScratch, dropCollectionTables, listCollectionTables } from '../schema/collectionTables.js';
import { openWriter } from './openWriter.js';
import { isOutOfRoom, reasonOf, writeFailureOf } from '../sqliteFailure.js';
import type { SqliteDatabase, SqliteStatement } from '../SqliteDatabase.js';
import { ChangeRecorder } from './ChangeRecorder.js';
import { CatalogWriter } from './CatalogWriter.js';
import { CollectionNumbers } from './CollectionNumbers.js';
import { CollectionWriter } from './CollectionWriter.js';
import { IndexFiles } from './IndexFiles.js';
import { WriteAheadLog } from './WriteAheadLog.js';
import { WRITE_CODE } from './WriteCode.js';
import type {
  CollectionMark,
  CollectionUse,
  OpenedLog,
  OpenedStore,
  WriterAnswer,
  WriterEntry,
  WriterWorkerData,
  WriteSegment,
} from './WriterEntry.js';

/*
 * The writing side of the store, without its thread. `apply` runs a list of entries in one transaction: when the
 * responses are returned, either all of it is on disk, or nothing of it is and each entry is answered `failed`.
 *
 * Removing a collection, or all its documents, only removes its row from the catalog (a truncate replaces it by a new
 * row, with a new number and empty tables), so it takes the same time for ten documents and for ten million. The
 * remaining tables are marked as doomed: `housekeep` drops them once no cursor holds them, or at the next start.
 */

/** Maximum number of collections with cached prepared statements. */
const MAX_PREPARED_COLLECTIONS = 256;

/** Maximum number of truncated collections whose late operations are redirected to the new number. */
const MAX_SUCCESSORS = 1_000;

/** Under load, one housekeeping step per this many transactions. */
const HOUSEKEEP_EVERY = 500;

/** Rows of the change log removed per housekeeping step: some 5 ms. */
const TRIMMED_ROWS = 2_000;

/** Result of one `apply`. */
export interface AppliedEntries {
  readonly answers: readonly WriterAnswer[];
  readonly marks: readonly CollectionMark[];
}

export class WriterStore {
  readonly opened: OpenedStore;
  /** Why writes currently fail, for health; null after the first transaction that could change the file again. */
  failure: string | null = null;

  private readonly database: SqliteDatabase;
  private readonly totalChanges: SqliteStatement;
  private readonly ahead: WriteAheadLog;
  private readonly catalog: CatalogWriter;
  private readonly numbers: CollectionNumbers;
  private readonly writers = new Map<number, CollectionWriter>();
  private readonly indexFiles: IndexFiles;
  private readonly recorder: ChangeRecorder;
  private readonly uses = new Map<number, CollectionUse>();
  private readonly successors = new Map<number, number>();
  /**
   * Mappings whose transaction failed: documents checked against them may follow, so the next transaction writes them.
   */
  private readonly unsavedMappings = new Map<number, { mapping: string; version: number }>();
  private readonly touched = new Set<number>();
  private living = new Set<number>();
  private doomed: number[] = [];
  private transactionCount = 0;

  /** @throws Error whose message says why the file can't be used */
  constructor(private readonly options: WriterWorkerData) {
    const { database, opened } = openWriter(options.databaseFile);
    this.database = database;
    this.opened = opened;
    this.ahead = new WriteAheadLog(database, options.databaseFile);
    this.totalChanges = database.prepare('SELECT total_changes() AS count');
    this.catalog = new CatalogWriter(this.database);
    this.indexFiles = new IndexFiles(this.database);
    this.recorder = new ChangeRecorder(database, options.history, options.internalIndex);
    const floors = [...options.marks, ...this.indexFiles.marks()];
    this.numbers = new CollectionNumbers(this.database, floors, options.unknownNumbers);
    this.reload();
    if (options.isFirst) {
      this.clearScratch();
      this.beginRecording();
    }
  }

  /** Transactions committed since the start. */
  get committedTransactions(): number {
    return this.transactionCount;
  }

  get log(): OpenedLog {
    const { epoch, seq, names: covers } = this.recorder;
    return { epoch, seq, covers };
  }

  /** The last position in the change log. */
  get lastSeq(): number {
    return this.recorder.seq;
  }

  /** How often an idle writer looks for recorded changes that are too old. */
  get trimIntervalMs(): number {
    return Math.min(10_000, Math.max(100, this.options.history.maxAgeMs / 4));
  }

  get sqliteVersion(): string {
    return String(this.database.prepare('SELECT sqlite_version() AS version').get()?.['version']);
  }

  /** Value of a pragma on the writing connection. */
  pragma(name: 'synchronous' | 'journal_mode' | 'cache_size'): unknown {
    return this.database.prepare(`PRAGMA ${name}`).get()?.[name];
  }

  /** Limits the file to this many pages; 0 removes the limit. For tests of a full disk. */
  limitPages(pages: number): void {
    this.database.exec(`PRAGMA max_page_count = ${pages === 0 ? 4_294_967_294 : pages}`);
  }

  apply(entries: readonly WriterEntry[]): AppliedEntries {
    this.touched.clear();
    const changesBefore = this.failure === null ? 0 : this.countChanges();
    let answers: readonly WriterAnswer[];
    try {
      answers = this.commit(entries);
      // A ping, or a refused creation, writes nothing and proves nothing.
      if (this.failure !== null && this.countChanges() > changesBefore) this.failure = null;
    } catch (error) {
      answers = this.commitAfterRoomIsMade(entries, error);
    }
    return { answers, marks: this.takeMarks() };
  }

  /**
   * Performs one step of deferred work.
   * @param isIdle false between transactions under load: then only work that can't be postponed indefinitely
   * @returns true if there is more to do
   */
  housekeep(isIdle: boolean): boolean {
    if (!isIdle) {
      if (this.transactionCount % HOUSEKEEP_EVERY !== 0) return false;
      this.ahead.bound();
    }
    const collectionNumber = this.doomed.find((candidate) => this.uses.get(candidate)?.held !== true);
    if (collectionNumber !== undefined) {
      this.drop(collectionNumber);
      return true;
    }
    if (this.giveUpOutdatedIndex()) return true;
    if (isIdle && this.trimChanges()) return true;
    if (isIdle && this.ahead.isDirty) this.ahead.empty();
    return false;
  }

  /** Copies the write-ahead log into the file and closes. */
  close(): void {
    this.ahead.empty();
    this.database.close();
  }

  private commit(entries: readonly WriterEntry[]): readonly WriterAnswer[] {
    try {
      this.database.exec('BEGIN IMMEDIATE');
      this.recorder.beginTransaction(Date.now());
      for (const [collectionNumber, { mapping, version }] of this.unsavedMappings) {
        this.saveMapping(collectionNumber, mapping, version);
      }
      const answers = entries.map((entry) => this.applyEntry(entry));
      this.recorder.endTransaction();
      this.database.exec('COMMIT');
      this.transactionCount += 1;
      this.ahead.written();
      this.unsavedMappings.clear();
      return answers;
    } catch (error) {
      this.rollBack(entries);
      throw error;
    }
  }

  // The write-ahead log may be the reason that the disk is full, and emptying it may be sufficient.
  private commitAfterRoomIsMade(entries: readonly WriterEntry[], cause: unknown): readonly WriterAnswer[] {
    let failure = cause;
    try {
      if (isOutOfRoom(cause) && this.ahead.empty()) return this.commit(entries);
    } catch (error) {
      failure = error;
    }
    this.failure = writeFailureOf(failure);
    return entries.map((entry) => answerToFailure(entry, reasonOf(failure)));
  }

  private countChanges(): number {
    return Number(this.totalChanges.get()?.['count']);
  }

  private applyEntry(entry: WriterEntry): WriterAnswer {
    switch (entry.type) {
      case 'write':
        return this.write(entry);
      case 'createIndex':
        if (this.catalog.hasIndex(entry.index)) return { type: 'refused', reason: 'index_exists' };
        this.catalog.putIndex(entry.index, false);
        return { type: 'done' };
      case 'deleteIndex': {
        if (!this.catalog.hasIndex(entry.index)) return { type: 'refused', reason: 'index_not_found' };
        let wipedAt: number | undefined;
        for (const collectionNumber of this.catalog.collectionsOf(entry.index))
          wipedAt = this.recorder.wipe(collectionNumber) ?? wipedAt;
        for (const collectionNumber of this.catalog.removeIndex(entry.index)) this.doom(collectionNumber);
        return { type: 'done', wipedAt };
      }
      case 'setAutoRefresh':
        if (!this.catalog.hasIndex(entry.index)) return { type: 'refused', reason: 'index_not_found' };
        this.catalog.putIndex(entry.index, entry.autoRefresh);
        return { type: 'done' };
      case 'createCollection':
        return this.createCollection(entry.index, entry.collection, entry.mapping);
      case 'deleteCollection': {
        const collectionNumber = this.catalog.findCollection(entry.index, entry.collection);
        if (collectionNumber === undefined) return { type: 'refused', reason: 'collection_not_found' };
        const wipedAt = this.recorder.wipe(collectionNumber);
        this.catalog.removeCollection(collectionNumber);
        this.doom(collectionNumber);
        return { type: 'done', collectionNumber, wipedAt };
      }
      case 'truncate':
        return this.truncate(entry.collectionNumber);
      case 'setMapping':
        this.saveMapping(entry.collectionNumber, entry.mapping, entry.version);
        return { type: 'done' };
      case 'use':
        this.setUse(entry.collectionNumber, entry);
        return { type: 'done' };
      case 'prune':
        if (this.living.has(entry.collectionNumber))
          this.indexFiles.prune(entry.collectionNumber, entry.tombstoneNumber);
        return { type: 'done' };
      case 'indexStored':
        if (!this.living.has(entry.collectionNumber)) return { type: 'refused', reason: 'collection_not_found' };
        return this.indexFiles.put(entry) ? { type: 'done' } : { type: 'refused', reason: 'tombstones_gone' };
      case 'reindex':
        if (!this.living.has(entry.collectionNumber)) return { type: 'refused', reason: 'collection_not_found' };
        this.database.exec(`REINDEX docs_${entry.collectionNumber}`);
        return { type: 'done' };
      case 'cover':
        this.recorder.cover(
          nameOf(entry),
          entry.until,
          this.catalog.findCollection(entry.index, entry.collection),
          entry.client,
        );
        return { type: 'done' };
      case 'pin':
        this.recorder.pin(nameOf(entry), entry.holder, entry.seq);
        return { type: 'done' };
      case 'eraseHistory':
        this.recorder.erase(nameOf(entry));
        return { type: 'done' };
      case 'covers':
        return { type: 'done', covers: this.recorder.names };
      case 'ping':
        return { type: 'done' };
    }
  }

  private write(segment: WriteSegment): WriterAnswer {
    const { collectionNumbers, ids, jsons, conditions, stamps, stampStarts, origins, originStarts, copies } = segment;
    const codes: number[] = [];
    let seqs: number[] | undefined;
    let originCount = 0;
    const versions: number[] = [];
    const replaced = new Map<number, string>();
    let stampCount = 0;
    for (let i = 0; i < ids.length; i += 1) {
      if (stampStarts[stampCount] === i) stampCount += 1;
      if (originStarts[originCount] === i) originCount += 1;
      const writer = this.writerOf(this.currentNumber(collectionNumbers[i] as number));
      if (writer === undefined) {
        codes.push(WRITE_CODE.collectionNotFound);
        versions.push(0);
        continue;
      }
      const code = writer.apply({
        id: ids[i] as string,
        json: jsons[i] as string | null,
        condition: conditions[i] as number,
        stamp: stamps[stampCount - 1] as string,
        origin: origins[originCount - 1] as string,
        copied: copies?.get(i),
      });
      codes.push(code);
      versions.push(writer.version);
      if (code === WRITE_CODE.replaced) replaced.set(i, writer.packed);
      if (writer.seq !== 0) (seqs ??= new Array<number>(ids.length).fill(0))[i] = writer.seq;
    }
    return {
      type: 'written',
      codes,
      versions,
      ...(replaced.size > 0 && { replaced }),
      ...(seqs !== undefined && { seqs }),
    };
  }

  private createCollection(index: string, collection: string, mapping: string): WriterAnswer {
    if (this.catalog.findCollection(index, collection) !== undefined) {
      return { type: 'refused', reason: 'collection_exists' };
    }
    if (!this.catalog.hasIndex(index)) this.catalog.putIndex(index, false);
    const collectionNumber = this.catalog.addCollection({
      index,
      collection,
      mapping,
      mappingVersion: 1,
    });
    this.living.add(collectionNumber);
    this.recorder.created(collectionNumber, { index, collection });
    return { type: 'done', collectionNumber };
  }

  private truncate(collectionNumber: number): WriterAnswer {
    const current = this.currentNumber(collectionNumber);
    if (!this.living.has(current)) return { type: 'refused', reason: 'collection_not_found' };
    const wipedAt = this.recorder.wipe(current);
    const { collectionNumber: renewed, name } = this.catalog.renewCollection(current);
    this.recorder.created(renewed, name);
    this.living.add(renewed);
    this.doom(current);
    this.successors.set(current, renewed);
    const [oldest] = this.successors.keys();
    if (this.successors.size > MAX_SUCCESSORS && oldest !== undefined) this.successors.delete(oldest);
    return { type: 'done', collectionNumber: renewed, wipedAt };
  }

  /** The current number of a collection: operations sent before a truncate was answered use the former one. */
  private currentNumber(collectionNumber: number): number {
    let current = collectionNumber;
    for (let next = this.successors.get(collectionNumber); next !== undefined; next = this.successors.get(next))
      current = next;
    return current;
  }

  private writerOf(collectionNumber: number): CollectionWriter | undefined {
    this.touched.add(collectionNumber);
    let writer = this.writers.get(collectionNumber);
    if (writer !== undefined) return writer;
    if (!this.living.has(collectionNumber)) return undefined;
    const [oldest] = this.writers.keys();
    if (this.writers.size >= MAX_PREPARED_COLLECTIONS && oldest !== undefined) this.writers.delete(oldest);
    writer = new CollectionWriter(
      this.database,
      collectionNumber,
      this.numbers.of(collectionNumber),
      this.recorder,
      () => this.useOf(collectionNumber),
    );
    this.writers.set(collectionNumber, writer);
    return writer;
  }

  private useOf(collectionNumber: number): CollectionUse | undefined {
    const use = this.uses.get(collectionNumber);
    // A stored index needs every tombstone from now on.
    if (use?.tombstones === true || !this.indexFiles.has(collectionNumber)) return use;
    return { retained: false, held: false, ...use, tombstones: true };
  }

  private saveMapping(collectionNumber: number, mapping: string, version: number): void {
    const current = this.currentNumber(collectionNumber);
    if (this.living.has(current)) this.catalog.setMapping(current, mapping, version);
  }

  private setUse(collectionNumber: number, { tombstones, retained, held }: CollectionUse): void {
    const before = this.uses.get(collectionNumber);
    if (tombstones || retained || held) this.uses.set(collectionNumber, { tombstones, retained, held });
    else this.uses.delete(collectionNumber);
    if (before?.retained === true && !retained && this.living.has(collectionNumber)) {
      this.database.exec(`DELETE FROM old_${collectionNumber}`);
    }
  }

  private doom(collectionNumber: number): void {
    this.living.delete(collectionNumber);
    this.writers.delete(collectionNumber);
    this.recorder.forget(collectionNumber);
    this.doomed.push(collectionNumber);
  }

  private drop(collectionNumber: number): void {
    const isDropped = this.attempt(() => {
      dropCollectionTables(this.database, collectionNumber);
      this.indexFiles.forget(collectionNumber);
    });
    // Otherwise retried at the next start; the collection itself is already gone.
    if (isDropped) {
      this.numbers.forget(collectionNumber);
      this.uses.delete(collectionNumber);
    }
    this.doomed = this.doomed.filter((candidate) => candidate !== collectionNumber);
  }

  private giveUpOutdatedIndex(): boolean {
    const collectionNumber = this.indexFiles.findOutdated((candidate) =>
      this.living.has(candidate) ? this.numbers.of(candidate).tombstoneNumber : 0,
    );
    if (collectionNumber === undefined) return false;
    const isUsed = this.uses.get(collectionNumber)?.tombstones === true;
    const isGivenUp = this.attempt(() => this.indexFiles.giveUp(collectionNumber, isUsed));
    if (!isGivenUp) this.indexFiles.reload();
    return isGivenUp;
  }

  private rollBack(entries: readonly WriterEntry[]): void {
    // SQLite rolls back itself after some failures.
    if (this.database.isTransaction) this.database.exec('ROLLBACK');
    for (const entry of entries) {
      if (entry.type === 'setMapping') this.unsavedMappings.set(entry.collectionNumber, entry);
      // Kept only in memory: a full disk must not prevent searches.
      if (entry.type === 'use') this.uses.set(entry.collectionNumber, entry);
    }
    this.reload();
  }

  /** Reloads the state of the catalog in memory from the file. */
  private reload(): void {
    this.writers.clear();
    this.indexFiles.reload();
    const rows = readCollectionRows(this.database);
    this.recorder.reload(rows);
    this.living = new Set(rows.map((row) => row.collectionNumber));
    this.doomed = listCollectionTables(this.database).filter((collectionNumber) => !this.living.has(collectionNumber));
    for (const collectionNumber of [...this.successors.keys()]) {
      if (this.living.has(collectionNumber)) this.successors.delete(collectionNumber);
    }
  }

  private clearScratch(): void {
    // If the disk is full, the rows remain. They are harmless (numbers continue above them), and a start that serves
    // only reads is better than none.
    this.attempt(() => {
      for (const collectionNumber of this.living) {
        const isStored = this.indexFiles.has(collectionNumber);
        clearCollectionScratch(this.database, collectionNumber, isStored);
        this.indexFiles.clearTombstones(collectionNumber);
      }
    });
  }

  private beginRecording(): void {
    const begin = () => this.recorder.begin(readCollectionRows(this.database), Date.now());
    // A full disk: what isn't recorded is a gap for subscribers.
    if (!this.attempt(begin)) this.reload();
  }

  /** @returns true if there may be more to remove */
  private trimChanges(): boolean {
    const nowMs = Date.now();
    if (!this.recorder.isTrimDue(nowMs)) return false;
    const isTrimmed = this.attempt(() => this.recorder.trim(nowMs, TRIMMED_ROWS));
    // A full disk: tried again later.
    if (!isTrimmed) this.reload();
    return isTrimmed;
  }

  /** Does work that can wait, in a transaction. @returns false if it failed: nothing was written */
  private attempt(work: () => void): boolean {
    try {
      this.database.exec('BEGIN IMMEDIATE');
      work();
      this.database.exec('COMMIT');
      this.ahead.written();
      return true;
    } catch {
      if (this.database.isTransaction) this.database.exec('ROLLBACK');
      return false;
    }
  }

  private takeMarks(): CollectionMark[] {
    const marks: CollectionMark[] = [];
    for (const collectionNumber of this.touched) {
      if (this.living.has(collectionNumber)) marks.push({ collectionNumber, ...this.numbers.of(collectionNumber) });
    }
    return marks;
  }
}

function nameOf({ index, collection }: CollectionName): CollectionName {
  return { index, collection };
}

function answerToFailure(entry: WriterEntry, reason: string): WriterAnswer {
  if (entry.type === 'indexStored') return { type: 'failed', reason };
  return entry.type === 'use' || entry.type === 'prune' || entry.type === 'ping'
    ? { type: 'done' }
    : { type: 'failed', reason };
}
