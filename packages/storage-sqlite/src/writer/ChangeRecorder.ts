import { SharedPlaces, type CollectionName } from '@millrace/kernel';
import { LOG_KIND, readLogHead } from '../schema/changeLogTables.js';
import type { CollectionRow } from '../schema/catalogTables.js';
import type { SqliteDatabase, SqliteStatement } from '../SqliteDatabase.js';
import type { HistoryOptions } from './HistoryOptions.js';

/** Bytes of a row besides id, origin and document. */
export const ROW_BYTES = 48;

/** Rows written by one statement: single statements take almost twice as long. */
const ROWS_TOGETHER = 8;
const COLUMNS = 7;
const ROW_SQL = '(?, ?, ?, ?, 0, ?, ?, ?, 0, NULL)';

/**
 * Absent collections that are still recorded some time after their last subscription: clients can invent their names
 * without limit.
 */
const MAX_IDLE_COVERS = 1_000;

/** A position with the bytes recorded up to it. */
interface Mark {
  readonly seq: number;
  readonly at: number;
  readonly totalBytes: number;
}

/** A recorded collection. */
export interface Cover {
  /** Column `k` of the change log. Not the number of the collection, which a truncate changes. */
  readonly number: number;
  /** Null once recording has ended. */
  readonly name: CollectionName | null;
  until: number | null;
  trimmed: number;
  /** The oldest row; undefined if there is none. */
  first: Mark | undefined;
  /** Bytes recorded up to the newest row. */
  total: number;
  readonly pins: Map<string, { readonly seq: number; readonly at: number }>;
}

/**
 * The writer's half of the change log. All methods that write run inside the writer's transaction: a change is recorded
 * exactly if it is committed.
 */
export class ChangeRecorder {
  /** Position of the last row. */
  seq = 0;
  readonly epoch: string;

  private nowMs = 0;
  private appended = 0;
  /** An upper bound of the bytes of all rows. */
  private bytes = 0;
  private covers = new Map<number, Cover>();
  private readonly byName = new Map<string, Cover>();
  private readonly byCollection = new Map<number, Cover>();
  /** Those of absent collections whose subscriptions have ended, by the client of the last one. */
  private readonly idle = new SharedPlaces<Cover>(MAX_IDLE_COVERS);
  /** Rows of the transaction that are not written yet, column by column. */
  private readonly waiting: (string | number)[] = [];
  private readonly insert: SqliteStatement;
  private readonly insertTogether: SqliteStatement;

  constructor(
    private readonly database: SqliteDatabase,
    private readonly history: HistoryOptions,
    private readonly internalIndex: string,
  ) {
    this.epoch = readLogHead(database).epoch;
    const insert = (rows: string) =>
      database.prepare(`INSERT INTO log(seq, k, id, kind, v, at, o, t, c, j) VALUES${rows}`);
    this.insert = insert(ROW_SQL);
    this.insertTogether = insert(new Array(ROWS_TOGETHER).fill(ROW_SQL).join());
  }

  /** The recorded collections. */
  get names(): readonly CollectionName[] {
    return [...this.byName.values()].flatMap(({ name }) => name ?? []);
  }

  /** SQL that records the document of a row. See `before`. */
  static copySql(collectionNumber: number): string {
    return `INSERT INTO log(seq, k, id, kind, v, at, o, t, c, j)
      SELECT ?, ?, id, ?, v, ?, ?, ?, c, j FROM docs_${collectionNumber} WHERE n = ?`;
  }

  /** Loads the state from the file: at start, and after a transaction was rolled back. */
  reload(collections: readonly CollectionRow[]): void {
    this.seq = readLogHead(this.database).seq;
    this.covers.clear();
    this.byName.clear();
    this.byCollection.clear();
    this.idle.clear();
    const rows = this.database.prepare('SELECT k, index_name, name, trimmed, until FROM log_covers');
    for (const row of rows.all()) {
      const { index_name: index, name: collection } = row;
      const name = collection === null ? null : { index: String(index), collection: String(collection) };
      const until = row['until'] === null ? null : Number(row['until']);
      this.adopt({ number: Number(row['k']), name, until, trimmed: Number(row['trimmed']) });
    }
    for (const row of this.database.prepare('SELECT k, holder, seq, at FROM log_pins').all()) {
      const pin = { seq: Number(row['seq']), at: Number(row['at']) };
      this.covers.get(Number(row['k']))?.pins.set(String(row['holder']), pin);
    }
    for (const { collectionNumber, index, collection } of collections)
      this.attach(collectionNumber, { index, collection });
    this.excesses();
  }

  /**
   * The first start of a process: there are no subscribers any more, so recording ends after the usual time; configured
   * collections are recorded.
   */
  begin(collections: readonly CollectionRow[], nowMs: number): void {
    this.nowMs = nowMs;
    for (const cover of this.covers.values()) {
      if (cover.name === null) continue;
      if (this.isConfigured(cover.name)) this.setUntil(cover, null);
      else if (cover.until === null) this.setUntil(cover, nowMs + this.history.maxAgeMs);
    }
    for (const { collectionNumber, index, collection } of collections)
      this.created(collectionNumber, { index, collection });
    const listed = this.history.collections;
    if (typeof listed === 'string') return;
    for (const each of listed) {
      const slash = each.indexOf('/');
      this.cover({ index: each.slice(0, slash), collection: each.slice(slash + 1) }, null);
    }
  }

  /** Call it at the beginning of each transaction. */
  beginTransaction(nowMs: number): void {
    this.nowMs = nowMs;
    this.appended = 0;
    this.waiting.length = 0;
  }

  /** Call it at the end of each transaction: writes the last rows, and bounds the log under load. */
  endTransaction(): void {
    this.writeWaiting();
    const { maxBytes, maxPinnedBytes } = this.history;
    if (this.appended === 0 || this.bytes <= Math.min(maxBytes, maxPinnedBytes)) return;
    if (this.excesses().some((excess) => excess > 0)) this.trimRows(2 * this.appended + 100);
  }

  /** A collection was created, or has a new number. */
  created(collectionNumber: number, name: CollectionName): void {
    if (this.isConfigured(name)) this.cover(name, null);
    this.attach(collectionNumber, name);
  }

  /** The recording of a collection; undefined if its changes are not recorded. */
  coverOf(collectionNumber: number): Cover | undefined {
    return this.byCollection.get(collectionNumber);
  }

  /**
   * Records from now on, until a time in UTC milliseconds; null: without limit.
   * @param client see `ChangeLog.release`
   */
  cover(name: CollectionName, until: number | null, currentNumber?: number, client = ''): void {
    const known = this.byName.get(keyOf(name));
    if (known !== undefined) {
      this.setUntil(known, this.isConfigured(name) ? null : until);
      if (known.until === null) this.idle.delete(known);
      else if (currentNumber === undefined && known.first === undefined) this.boundIdle(known, client);
      return;
    }
    if (until !== null) return;
    // Cursors from before this moment are earlier than `since`, even if nothing has been recorded since they were given.
    this.seq += 1;
    this.saveSeq();
    const row = this.database
      .prepare(`INSERT INTO log_covers(index_name, name, since, trimmed, until) VALUES(?, ?, ?, ?, NULL) RETURNING k`)
      .get(name.index, name.collection, this.seq, this.seq);
    this.adopt({ number: Number(row?.['k']), name, until: null, trimmed: this.seq });
    if (currentNumber !== undefined) this.attach(currentNumber, name);
  }

  /** Keeps the changes after `seq`; null: no longer. */
  pin(name: CollectionName, holder: string, seq: number | null): void {
    const cover = this.byName.get(keyOf(name));
    if (cover === undefined) return;
    if (seq === null) {
      cover.pins.delete(holder);
      this.database.prepare('DELETE FROM log_pins WHERE k = ? AND holder = ?').run(cover.number, holder);
      return;
    }
    cover.pins.set(holder, { seq, at: this.nowMs });
    this.database
      .prepare('INSERT OR REPLACE INTO log_pins(k, holder, seq, at) VALUES(?, ?, ?, ?)')
      .run(cover.number, holder, seq, this.nowMs);
  }

  /** Makes all changes so far unreadable; their rows are removed in idle time. */
  erase(name: CollectionName): void {
    const cover = this.byName.get(keyOf(name));
    if (cover !== undefined) this.setTrimmed(cover, this.seq);
  }

  /** Records a creation. @returns its position */
  create(cover: Cover, id: string, origin: string): number {
    return this.append(cover, LOG_KIND.created, id, origin);
  }

  /**
   * Records a change of a row's document, before it is made.
   * @param copy the prepared statement of `copySql`
   * @returns its position
   */
  before(
    cover: Cover,
    copy: SqliteStatement,
    { rowNumber, kind, bytes, origin }: { rowNumber: number; kind: number; bytes: number; origin: string },
  ): number {
    const totalBytes = this.advance(cover, bytes + origin.length);
    copy.run(this.seq, cover.number, kind, this.nowMs, origin, totalBytes, rowNumber);
    return this.seq;
  }

  /** Removes the last row: its change failed. */
  undo(seq: number): void {
    this.database.prepare('DELETE FROM log WHERE seq = ?').run(seq);
  }

  /**
   * Records that all documents of a collection are about to be removed.
   * @returns the position; undefined if there are no documents or the collection isn't recorded
   */
  wipe(collectionNumber: number): number | undefined {
    const cover = this.byCollection.get(collectionNumber);
    if (cover === undefined) return undefined;
    const some = this.database.prepare(`SELECT 1 FROM docs_${collectionNumber} LIMIT 1`).get();
    return some && this.append(cover, LOG_KIND.wiped, '', '');
  }

  /** The collection number is permanently gone. */
  forget(collectionNumber: number): void {
    this.byCollection.delete(collectionNumber);
  }

  /** True if `trim` has work to do. */
  isTrimDue(nowMs: number): boolean {
    for (const cover of this.covers.values()) {
      if (this.hasEnded(cover, nowMs)) return true;
      for (const { at } of cover.pins.values()) {
        if (at < nowMs - this.history.maxPinnedAgeMs) return true;
      }
      const { first } = cover;
      if (first !== undefined && this.isExpendable(cover, first, nowMs)) return true;
    }
    return this.excesses().some((excess) => excess > 0);
  }

  /** Removes what is too old or too much, at most about `maxRows` rows. */
  trim(nowMs: number, maxRows: number): void {
    this.nowMs = nowMs;
    for (const cover of [...this.covers.values()]) {
      for (const [holder, { at }] of cover.pins) {
        if (cover.name !== null && at < nowMs - this.history.maxPinnedAgeMs) {
          this.pin(cover.name, holder, null);
        }
      }
      if (this.hasEnded(cover, nowMs)) this.end(cover);
    }
    this.trimRows(maxRows);
  }

  private trimRows(maxRows: number): void {
    let left = maxRows;
    while (left > 0) {
      const cover = this.coverToTrim();
      if (cover === undefined) break;
      left -= this.trimCover(cover, left);
    }
    if (left === maxRows) return;
    // A log whose last rows are removed continues after them.
    this.saveSeq();
  }

  private saveSeq(): void {
    this.database.prepare(`INSERT OR REPLACE INTO meta VALUES('log_seq', ?)`).run(this.seq);
  }

  private boundIdle(cover: Cover, client: string): void {
    const ended = this.idle.add(cover, client);
    if (ended?.pins.size === 0) this.end(ended);
  }

  private coverToTrim(): Cover | undefined {
    const [excess = 0, pinnedExcess = 0] = this.excesses();
    let oldest: Cover | undefined;
    for (const cover of this.covers.values()) {
      const { first } = cover;
      if (first === undefined) continue;
      if (this.isExpendable(cover, first, this.nowMs)) return cover;
      if ((cover.pins.size > 0 ? pinnedExcess : excess) <= 0) continue;
      if (oldest?.first === undefined || first.seq < oldest.first.seq) oldest = cover;
    }
    return oldest;
  }

  /** Removes the oldest rows. @returns how many */
  private trimCover(cover: Cover, maxRows: number): number {
    const group = cover.pins.size > 0 ? 1 : 0;
    const excess = this.excesses()[group] ?? 0;
    const rows = this.database
      .prepare('SELECT seq, at, t AS totalBytes FROM log WHERE k = ? ORDER BY seq LIMIT ?')
      .all(cover.number, Math.min(maxRows, 2_000) + 1) as unknown as Mark[];
    const base = cover.first?.totalBytes ?? 0;
    const end = rows.findIndex((row) => !this.isExpendable(cover, row, this.nowMs) && row.totalBytes - base >= excess);
    const count = Math.max(1, end === -1 ? rows.length - 1 : end);
    const last = rows[count - 1];
    if (last === undefined) throw new Error('a row of the change log is missing');
    this.database.prepare('DELETE FROM log WHERE k = ? AND seq <= ?').run(cover.number, last.seq);
    cover.first = rows[count];
    if (cover.first === undefined && cover.name === null) this.drop(cover);
    else if (last.seq > cover.trimmed) this.setTrimmed(cover, last.seq);
    return count;
  }

  private isExpendable(cover: Cover, { seq, at }: Mark, nowMs: number): boolean {
    if (seq <= cover.trimmed || cover.name === null) return true;
    let isPinned = false;
    for (const pin of cover.pins.values()) if (pin.seq < seq) isPinned = true;
    const { maxAgeMs, maxPinnedAgeMs } = this.history;
    return at < nowMs - (isPinned ? Math.max(maxAgeMs, maxPinnedAgeMs) : maxAgeMs);
  }

  /** Bytes beyond the limit, of the collections without pins and of those with pins. */
  private excesses(): readonly [number, number] {
    let bytes = 0;
    let pinned = 0;
    for (const { first, total, pins } of this.covers.values()) {
      if (first === undefined) continue;
      if (pins.size > 0) pinned += total - first.totalBytes;
      else bytes += total - first.totalBytes;
    }
    this.bytes = bytes + pinned;
    return [bytes - this.history.maxBytes, pinned - this.history.maxPinnedBytes];
  }

  private hasEnded({ until, pins, name }: Cover, nowMs: number): boolean {
    return name !== null && until !== null && until <= nowMs && pins.size === 0;
  }

  private end(cover: Cover): void {
    if (cover.name === null) return;
    for (const [collectionNumber, each] of this.byCollection)
      if (each === cover) this.byCollection.delete(collectionNumber);
    this.byName.delete(keyOf(cover.name));
    if (cover.first === undefined) {
      this.drop(cover);
      return;
    }
    this.database.prepare('UPDATE log_covers SET index_name = NULL, name = NULL WHERE k = ?').run(cover.number);
    this.covers.set(cover.number, { ...cover, name: null });
  }

  private drop({ number }: Cover): void {
    this.database.prepare('DELETE FROM log_covers WHERE k = ?').run(number);
    this.covers.delete(number);
  }

  private append(cover: Cover, kind: number, id: string, origin: string): number {
    const totalBytes = this.advance(cover, ROW_BYTES + id.length + origin.length);
    this.waiting.push(this.seq, cover.number, id, kind, this.nowMs, origin, totalBytes);
    if (this.waiting.length === ROWS_TOGETHER * COLUMNS) this.writeWaiting();
    return this.seq;
  }

  private writeWaiting(): void {
    const { waiting } = this;
    if (waiting.length === ROWS_TOGETHER * COLUMNS) this.insertTogether.run(...waiting);
    else {
      for (let at = 0; at < waiting.length; at += COLUMNS) this.insert.run(...waiting.slice(at, at + COLUMNS));
    }
    waiting.length = 0;
  }

  private advance(cover: Cover, bytes: number): number {
    this.seq += 1;
    this.appended += 1;
    cover.total += bytes;
    this.bytes += bytes;
    cover.first ??= { seq: this.seq, at: this.nowMs, totalBytes: cover.total };
    return cover.total;
  }

  private setUntil(cover: Cover, until: number | null): void {
    if (cover.until === until) return;
    cover.until = until;
    this.database.prepare('UPDATE log_covers SET until = ? WHERE k = ?').run(until, cover.number);
  }

  private setTrimmed(cover: Cover, seq: number): void {
    cover.trimmed = seq;
    this.database.prepare('UPDATE log_covers SET trimmed = ? WHERE k = ?').run(seq, cover.number);
  }

  private adopt(row: Pick<Cover, 'number' | 'name' | 'until' | 'trimmed'>): void {
    const end = (order: 'ASC' | 'DESC') =>
      this.database
        .prepare(`SELECT seq, at, t AS totalBytes FROM log WHERE k = ? ORDER BY seq ${order} LIMIT 1`)
        .get(row.number) as Mark | undefined;
    const cover = {
      ...row,
      first: end('ASC'),
      total: end('DESC')?.totalBytes ?? 0,
      pins: new Map(),
    };
    this.covers.set(row.number, cover);
    if (row.name !== null) this.byName.set(keyOf(row.name), cover);
  }

  private attach(collectionNumber: number, name: CollectionName): void {
    const cover = this.byName.get(keyOf(name));
    if (cover === undefined) return;
    this.idle.delete(cover);
    this.byCollection.set(collectionNumber, cover);
  }

  private isConfigured({ index, collection }: CollectionName): boolean {
    const { collections } = this.history;
    if (collections === 'all') return index !== this.internalIndex;
    return collections !== 'subscribed' && collections.includes(`${index}/${collection}`);
  }
}

// No name contains NUL.
function keyOf({ index, collection }: CollectionName): string {
  return `${index}\0${collection}`;
}
