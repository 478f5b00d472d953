import {
  DocumentText,
  EventLoopPacer,
  Places,
  storageErrors,
  weighText,
  type ChangeLogSize,
  type CollectionName,
  type DocumentImage,
  type GapReason,
  type LoggedChange,
  type LoggedWipe,
  type NetChange,
  type Replay,
  type ReplayLimits,
} from '@millrace/kernel';
import { openDatabase } from '../openDatabase.js';
import { rowChecksum, splitStored, unpackMetadata } from '../storedText.js';
import { LOG_KIND, readLogHead } from '../schema/changeLogTables.js';
import { reasonOf } from '../sqliteFailure.js';
import type { SqliteDatabase, SqliteStatement } from '../SqliteDatabase.js';
import { formatCursor, unpackOrigin } from './formatCursor.js';

/** Replays at a time, each on a separate connection: a short one need not wait for long ones. */
const MAX_REPLAYS = 4;

/** Rows and bytes read at a time: SQLite reads them in one turn of the event loop. */
const PAGE_ROWS = 100;
const PAGE_BYTES = 2 ** 20;

/** First changes of all documents together, of several positions. */
const FIRSTS_PER_DOCUMENT = 10;

/** What to read. */
interface ReplayRequest {
  readonly name: CollectionName;
  /** Position after which changes are read. */
  readonly seq: number;
  readonly limits: ReplayLimits;
  readonly epoch: string;
}

interface LogRow {
  readonly seq: number;
  readonly id: string;
  readonly kind: number;
  readonly version: number;
  readonly at: number;
  readonly origin: string;
  readonly checksum: number;
  readonly stored: string | null;
}

/** The first change of a document after positions `from` and later. */
interface FirstChange {
  row: LogRow;
  from: number;
}

/** The changes of a document after several positions: the last one, and the first ones, the newest first. */
interface Span {
  readonly last: LogRow;
  readonly firsts: FirstChange[];
}

/** A row with the bytes recorded up to it. */
interface RowSize {
  readonly seq: number;
  readonly totalBytes: number;
}

/** A recorded collection at the moment of a read. */
interface Source {
  readonly coverNumber: number;
  readonly head: number;
  /** Reads living documents; undefined if the collection is absent. */
  readonly living: SqliteStatement | undefined;
}

type DocumentRow = Pick<LogRow, 'version' | 'checksum' | 'stored'>;

/**
 * Reads the change log on separate connections. Each replay is one read transaction, so that the living documents are
 * those at its head.
 *
 * Rows hold the document before a change. They are read backwards, so that the document after it is known: it is the one
 * before the next change of that id, or the living one.
 */
export class ChangeReader {
  /** The latest position that a replay has seen. */
  lastHead = 0;

  /** Open connections without a transaction. */
  private readonly idle: SqliteDatabase[] = [];
  private readonly places = new Places(MAX_REPLAYS);
  private readonly running = new Set<Promise<unknown>>();
  private isClosed = false;

  constructor(private readonly databaseFile: string) {}

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.allSettled(this.running);
    for (const database of this.idle.splice(0)) database.close();
  }

  /** Takes microseconds for each collection with recorded changes. */
  size(): ChangeLogSize {
    const database = this.take();
    try {
      const row = database
        .prepare(
          `SELECT (SELECT at FROM log ORDER BY seq LIMIT 1) AS at, sum(
             (SELECT t FROM log WHERE k = log_covers.k ORDER BY seq DESC LIMIT 1) -
             (SELECT t FROM log WHERE k = log_covers.k ORDER BY seq LIMIT 1)) AS bytes FROM log_covers`,
        )
        .get();
      const at = row?.['at'] ?? null;
      return { bytes: Number(row?.['bytes'] ?? 0), oldestAtMs: at === null ? null : Number(at) };
    } finally {
      this.idle.push(database);
    }
  }

  /** Position after which all changes of a collection are there; undefined if it isn't recorded. */
  oldest({ index, collection }: CollectionName): number | undefined {
    const database = this.take();
    try {
      const row = database
        .prepare('SELECT max(since, trimmed) AS seq FROM log_covers WHERE index_name = ? AND name = ?')
        .get(index, collection);
      return row === undefined ? undefined : Number(row['seq']);
    } finally {
      this.idle.push(database);
    }
  }

  changesAfter(request: ReplayRequest): Promise<Replay<LoggedChange | LoggedWipe>> {
    return this.inTransaction(request, (database, source) => this.readChanges(database, source, request));
  }

  /** @param seqs all positions to read from, in ascending order; absent: that of the request */
  netChangesAfter(request: ReplayRequest, seqs?: readonly number[]): Promise<Replay<NetChange>> {
    return this.inTransaction(request, (database, source) => this.readNetChanges(database, source, request, seqs));
  }

  private async readChanges(
    database: SqliteDatabase,
    source: Source,
    { name, seq, limits, epoch }: ReplayRequest,
  ): Promise<readonly (LoggedChange | LoggedWipe)[] | GapReason> {
    const images = new Images(name, source.living, limits.maxWeight);
    const changes: (LoggedChange | LoggedWipe)[] = [];
    const rows = backwards(database, 'seq, id, kind, v AS version, at, o AS origin, c AS checksum, j AS stored', {
      coverNumber: source.coverNumber,
      after: seq,
    });
    const pace = limits.pace ?? new EventLoopPacer(1);
    for (const row of rows) {
      if (pace.isDue()) await pace.rest();
      if (changes.length >= limits.maxChanges) return 'too_much';
      const cursor = formatCursor(epoch, row.seq);
      if (row.kind === LOG_KIND.wiped) {
        // The documents of earlier changes were removed with their tables.
        changes.push({ kind: 'wiped', cursor, atMs: row.at });
        break;
      }
      const after = row.kind === LOG_KIND.deleted ? null : images.after(row.id);
      const before = row.kind === LOG_KIND.created ? null : images.of(row.id, row);
      images.set(row.id, before);
      const { id, at: atMs } = row;
      changes.push({
        kind: 'document',
        cursor,
        id,
        before,
        after,
        atMs,
        ...unpackOrigin(row.origin),
      });
      if (images.isTooMuch) return 'too_much';
    }
    return changes.reverse();
  }

  private async readNetChanges(
    database: SqliteDatabase,
    source: Source,
    { name, seq, limits, epoch }: ReplayRequest,
    seqs: readonly number[] = [seq],
  ): Promise<readonly NetChange[] | GapReason> {
    const spans = new Map<string, Span>();
    let firstCount = 0;
    const rows = backwards(database, 'seq, id, kind, at', {
      coverNumber: source.coverNumber,
      after: seq,
    });
    const pace = limits.pace ?? new EventLoopPacer(1);
    for (const row of rows) {
      if (pace.isDue()) await pace.rest();
      if (row.kind === LOG_KIND.wiped) return 'wiped';
      const span = spans.get(row.id);
      if (span === undefined) {
        if (spans.size >= limits.maxChanges) return 'too_much';
        spans.set(row.id, { last: row, firsts: [{ row, from: seq }] });
        continue;
      }
      const later = span.firsts.at(-1) as FirstChange;
      if (seqs.length === 1 || !hasBetween(seqs, row.seq, later.row.seq)) later.row = row;
      else if (++firstCount > FIRSTS_PER_DOCUMENT * limits.maxChanges) return 'too_much';
      else {
        later.from = row.seq;
        span.firsts.push({ row, from: seq });
      }
    }
    const find = database.prepare('SELECT v AS version, c AS checksum, j AS stored FROM log WHERE seq = ?');
    const images = new Images(name, source.living, limits.maxWeight);
    const changes: NetChange[] = [];
    const cursorAt = (position: number) => formatCursor(epoch, position);
    for (const [id, { firsts, last }] of spans) {
      const after = last.kind === LOG_KIND.deleted ? null : images.after(id);
      for (const { row, from } of firsts) {
        if (pace.isDue()) await pace.rest();
        const isNew = row.kind === LOG_KIND.created;
        const before = isNew ? null : images.of(id, find.get(row.seq) as unknown as DocumentRow);
        if (images.isTooMuch) return 'too_much';
        if (before === null && after === null) continue;
        const within = { from: cursorAt(from), to: cursorAt(row.seq) };
        const change = { id, before, after, cursor: cursorAt(last.seq), atMs: last.at };
        changes.push(seqs.length === 1 ? change : { ...change, within });
      }
    }
    return changes.reverse();
  }

  private inTransaction<Change>(
    request: ReplayRequest,
    read: (database: SqliteDatabase, source: Source) => Promise<readonly Change[] | GapReason>,
  ): Promise<Replay<Change>> {
    const replay = this.replay(request, read);
    this.running.add(replay);
    return replay.finally(() => this.running.delete(replay));
  }

  private async replay<Change>(
    request: ReplayRequest,
    read: (database: SqliteDatabase, source: Source) => Promise<readonly Change[] | GapReason>,
  ): Promise<Replay<Change>> {
    await this.places.take();
    try {
      const database = this.take();
      try {
        database.exec('BEGIN');
        const source = this.locate(database, request);
        if (typeof source === 'string') return { gap: source };
        const changes = await read(database, source);
        if (typeof changes === 'string') return { gap: changes };
        return { head: formatCursor(request.epoch, source.head), changes };
      } finally {
        // SQLite ends the transaction itself when it finds a damaged file.
        if (database.isTransaction) database.exec('COMMIT');
        this.idle.push(database);
      }
    } finally {
      this.places.leave();
    }
  }

  private locate(database: SqliteDatabase, { name: { index, collection }, seq }: ReplayRequest): Source | GapReason {
    const { seq: head } = readLogHead(database);
    this.lastHead = Math.max(this.lastHead, head);
    const cover = database
      .prepare('SELECT k, since, trimmed FROM log_covers WHERE index_name = ? AND name = ?')
      .get(index, collection);
    if (cover === undefined || seq < Number(cover['since'])) return 'not_recorded';
    if (seq < Number(cover['trimmed'])) return 'expired';
    const current = database
      .prepare('SELECT k FROM collections WHERE index_name = ? AND name = ?')
      .get(index, collection)?.['k'];
    const living =
      current === undefined
        ? undefined
        : database.prepare(`SELECT v AS version, c AS checksum, j AS stored FROM docs_${Number(current)} WHERE id = ?`);
    return { coverNumber: Number(cover['k']), head, living };
  }

  /** An open connection, which the caller puts back. */
  private take(): SqliteDatabase {
    if (this.isClosed) throw storageErrors.unavailable({ reason: 'the engine is stopped' });
    try {
      const known = this.idle.pop();
      if (known !== undefined) return known;
      const database = openDatabase(this.databaseFile, { readOnly: true });
      database.exec('PRAGMA cell_size_check = ON');
      return database;
    } catch (error) {
      throw storageErrors.unavailable({ reason: reasonOf(error) }, { cause: error });
    }
  }
}

/** The rows of a collection after a position, newest first. */
function* backwards(
  database: SqliteDatabase,
  columns: string,
  { coverNumber, after }: { readonly coverNumber: number; readonly after: number },
): Generator<LogRow> {
  const sizes = database.prepare(
    `SELECT seq, t AS totalBytes FROM log WHERE k = ? AND seq > ? AND seq < ? ORDER BY seq DESC LIMIT ${PAGE_ROWS}`,
  );
  const page = database.prepare(`SELECT ${columns} FROM log WHERE k = ? AND seq >= ? AND seq < ? ORDER BY seq DESC`);
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const marks = sizes.all(coverNumber, after, before) as unknown as RowSize[];
    const [newest] = marks;
    if (newest === undefined) return;
    const isFull = ({ totalBytes }: RowSize) => newest.totalBytes - totalBytes >= PAGE_BYTES;
    const { seq: first } = marks.find(isFull) ?? marks.at(-1) ?? newest;
    yield* page.all(coverNumber, first, before) as unknown as LogRow[];
    before = first;
  }
}

/** Whether one of the numbers, in ascending order, is `from` or more and less than `to`. */
function hasBetween(numbers: readonly number[], from: number, to: number): boolean {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] as number) < from) low = middle + 1;
    else high = middle;
  }
  return (numbers[low] ?? Infinity) < to;
}

/** The documents of one replay, from the newest change to the oldest. */
class Images {
  private weight = 0;
  private readonly known = new Map<string, DocumentImage | null>();

  constructor(
    private readonly name: CollectionName,
    private readonly living: SqliteStatement | undefined,
    private readonly maxWeight: number,
  ) {}

  get isTooMuch(): boolean {
    return this.weight > this.maxWeight;
  }

  /** The document after a change that leaves one. @throws storage.corrupt if there is none */
  after(id: string): DocumentImage {
    const known = this.known.get(id);
    if (known !== undefined && known !== null) return known;
    const row = known === undefined ? this.living?.get(id) : undefined;
    return this.of(id, row as DocumentRow | undefined);
  }

  /** The document before a later change. */
  set(id: string, image: DocumentImage | null): void {
    this.known.set(id, image);
  }

  /** @throws storage.corrupt if the row is missing or damaged */
  of(id: string, row: DocumentRow | undefined): DocumentImage {
    if (row === undefined || row.stored === null || rowChecksum(row.version, id, row.stored) !== row.checksum) {
      throw storageErrors.corrupt({ ...this.name, id });
    }
    const { packed, json } = splitStored(row.stored);
    this.weight += weighText(json);
    return new DocumentText(json, unpackMetadata(packed), row.version);
  }
}
