/*
 * The change log of one server, on an engine that has none, as entries of strings in a SQLite file (docs/decisions/0032). It is not
 * synced: a file that was open when the machine started last is discarded.
 *
 *   entries  `id`: milliseconds * 1024 + a number. `t`: bytes of all entries before this one, removed ones included.
 *   covers   the recorded collections, as the log encodes them.
 *
 * In `meta`: the epoch (`prepareEpoch`), and `opened_at`, UTC milliseconds, unless the file was closed.
 */
import { rmSync } from 'node:fs';
import { uptime } from 'node:os';
import { resolve } from 'node:path';
import { EventLoopPacer, storageErrors, type Logger } from '@millrace/kernel';
import { acquireDataDirectory, type ReleaseDataDirectory } from '../directory/acquireDataDirectory.js';
import { makePrivateFile } from '../directory/makePrivateFile.js';
import { openDatabase } from '../openDatabase.js';
import { prepareEpoch, readMeta } from '../schema/changeLogTables.js';
import { isDamaged, reasonOf } from '../sqliteFailure.js';
import type { SqliteDatabase, SqliteStatement } from '../SqliteDatabase.js';

const FILE_NAME = 'millrace.changes.db';
const IDS_PER_MS = 1_024;
/** Entries that are removed when one is added. */
const MAX_REMOVED = 500;
/** Bytes after which `range` returns what it has read: it blocks the event loop. */
const MAX_RANGE_BYTES = 2 ** 21;
/** Of an entry, in addition to its content. */
const OVERHEAD_BYTES = 64;

const NEWEST = 'SELECT id, t, length(CAST(fields AS BLOB)) AS bytes FROM entries ORDER BY id DESC LIMIT 1';

interface Entry {
  readonly id: string;
  readonly fields: readonly string[];
}

/** An open file. */
interface Opened {
  readonly database: SqliteDatabase;
  readonly insert: SqliteStatement;
  readonly remove: SqliteStatement;
  readonly oldest: SqliteStatement;
  readonly next: SqliteStatement;
}

interface Row {
  readonly id: number;
  readonly t: number;
}

/** Options of a `LogFile`. */
export interface LogFileOptions {
  readonly dataDir: string;
  /** Bound of all entries. */
  readonly maxBytes: number;
  readonly logger: Logger;
}

/** Stores a stream of entries, in order. The newest one is never removed. */
export class LogFile {
  private opened: Opened | undefined;
  private release: ReleaseDataDirectory | undefined;
  private lastNumber = 0;
  /** Bytes of all entries, removed ones included. */
  private total = 0;
  private oldest: Row | undefined;
  private isFailing = false;
  private isDamaged = false;

  constructor(private readonly options: LogFileOptions) {}

  /** @throws storage.unavailable if the data directory is in use or can't be written */
  open(): void {
    this.release = acquireDataDirectory(this.options.dataDir);
    const file = resolve(this.options.dataDir, FILE_NAME);
    try {
      this.opened = this.openOrReplace(file);
    } catch (error) {
      this.release();
      const reason = `the change log "${file}" can't be used: ${reasonOf(error)}`;
      throw storageErrors.unavailable({ reason }, { cause: error });
    }
  }

  /** Idempotent. */
  close(): void {
    const { opened } = this;
    if (opened === undefined) return;
    this.opened = undefined;
    const { database } = opened;
    try {
      if (this.isDamaged) database.exec(`UPDATE meta SET value = 0 WHERE key = 'opened_at'`);
      // Durable before the file counts as closed.
      database.exec(
        `PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE); DELETE FROM meta WHERE key = 'opened_at' AND value > 0`,
      );
    } catch {
      // The disk is full: the file is discarded if the machine restarts.
    }
    database.close();
    this.release?.();
  }

  /** @returns the id of the entry @throws if the disk fails */
  append(fields: readonly string[]): string {
    const { insert } = this.use();
    const content = JSON.stringify(fields);
    const number = Math.max(Date.now() * IDS_PER_MS, this.lastNumber + 1);
    this.isFailing = true;
    this.orDamaged(() => insert.run(number, this.total, content));
    this.isFailing = false;
    this.oldest ??= { id: number, t: this.total };
    this.lastNumber = number;
    this.total += Buffer.byteLength(content) + OVERHEAD_BYTES;
    this.removeExcess();
    return toId(number);
  }

  /** The next entries from an id (after it: with `(` in front) up to another; fewer of large ones, at least one. */
  async range(from: string, upTo: string, count: number): Promise<readonly Entry[]> {
    const { next } = this.use();
    const entries: Entry[] = [];
    let first = from.startsWith('(') ? toNumber(from.slice(1)) + 1 : toNumber(from);
    for (let bytes = 0; entries.length < count && bytes < MAX_RANGE_BYTES;) {
      const row = this.orDamaged(() => next.get(first, toNumber(upTo)));
      if (row === undefined) break;
      const content = String(row['fields']);
      entries.push({ id: toId(Number(row['id'])), fields: JSON.parse(content) as string[] });
      bytes += content.length;
      first = Number(row['id']) + 1;
    }
    return entries;
  }

  async firstId(): Promise<string> {
    return toId(this.oldest?.id ?? 0);
  }

  /** Rejects while entries can't be appended: there is more than the file has. */
  async lastId(): Promise<string> {
    if (this.isFailing) throw storageErrors.unavailable({ reason: 'the change log can not be written' });
    return toId(this.lastNumber);
  }

  async bytes(): Promise<number> {
    return this.oldest === undefined ? 0 : this.total - this.oldest.t;
  }

  async trimBefore(id: string): Promise<void> {
    await this.removeBefore(toNumber(id));
  }

  async trimOlderThan(ageMs: number): Promise<void> {
    await this.removeBefore((Date.now() - ageMs) * IDS_PER_MS);
  }

  async epoch(): Promise<string> {
    return String(readMeta(this.use().database, 'log_epoch'));
  }

  async covers(): Promise<readonly (readonly [string, string])[]> {
    const rows = this.use().database.prepare('SELECT key, value FROM covers').all();
    return rows.map(({ key, value }) => [String(key), String(value)] as const);
  }

  async putCover(key: string, value: string): Promise<void> {
    this.use().database.prepare('INSERT OR REPLACE INTO covers VALUES(?, ?)').run(key, value);
  }

  async dropCover(key: string): Promise<void> {
    this.use().database.prepare('DELETE FROM covers WHERE key = ?').run(key);
  }

  private openOrReplace(file: string): Opened {
    try {
      const opened = openFile(file);
      const openedAt = Number(readMeta(opened.database, 'opened_at') ?? Infinity);
      if (openedAt > Date.now() - uptime() * 1_000) return this.take(opened);
      opened.database.close();
    } catch (error) {
      if (!isDamaged(error)) throw error;
    }
    this.options.logger.warn({ file }, 'the change log may lack changes, or is damaged: it begins again');
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true });
    return this.take(openFile(file));
  }

  /** Reads the ends of an open file, and marks it as open; closes it if it fails. */
  private take(opened: Opened): Opened {
    const { database, oldest } = opened;
    try {
      const last = database.prepare(NEWEST).get();
      this.lastNumber = Number(last?.['id'] ?? 0);
      this.total = last === undefined ? 0 : Number(last['t']) + Number(last['bytes']) + OVERHEAD_BYTES;
      this.oldest = oldest.get() as Row | undefined;
      database.prepare(`INSERT OR REPLACE INTO meta VALUES('opened_at', ?)`).run(Date.now());
      return opened;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** A large entry may exceed the bound by more than is removed at once: the following ones remove the rest. */
  private removeExcess(): void {
    for (let count = 0; count < MAX_REMOVED; count++) {
      if (this.oldest === undefined || this.total - this.oldest.t <= this.options.maxBytes) return;
      if (this.oldest.id >= this.lastNumber || !this.removeOldest(this.oldest)) return;
    }
  }

  private removeOldest({ id }: Row): boolean {
    const { remove, oldest } = this.use();
    try {
      this.orDamaged(() => remove.run(id));
      this.oldest = oldest.get() as Row | undefined;
      return true;
    } catch {
      // The disk fails. The entry is there: it is removed later.
      return false;
    }
  }

  private async removeBefore(number: number): Promise<void> {
    const before = Math.min(number, this.lastNumber);
    const pacer = new EventLoopPacer(16);
    while (this.oldest !== undefined && this.oldest.id < before) {
      if (!this.removeOldest(this.oldest))
        throw storageErrors.unavailable({ reason: 'the change log can not be written' });
      if (pacer.isDue()) await pacer.rest();
    }
  }

  /** @throws storage.unavailable if the file turns out to be damaged: the next start discards it */
  private orDamaged<T>(step: () => T): T {
    try {
      return step();
    } catch (error) {
      if (!isDamaged(error)) throw error;
      this.isDamaged = true;
      throw storageErrors.unavailable(
        { reason: 'the change log is damaged: it begins again at the next start' },
        { cause: error },
      );
    }
  }

  private use(): Opened {
    if (this.opened === undefined) throw storageErrors.unavailable({ reason: 'the change log is closed' });
    return this.opened;
  }
}

/** @throws if it is damaged */
function openFile(file: string): Opened {
  makePrivateFile(file);
  const database = openDatabase(file);
  try {
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = OFF;
      BEGIN IMMEDIATE;
      CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS entries(id INTEGER PRIMARY KEY, t INTEGER NOT NULL, fields TEXT NOT NULL);
      CREATE TABLE IF NOT EXISTS covers(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
      COMMIT`);
    prepareEpoch(database, file);
    return {
      database,
      insert: database.prepare('INSERT INTO entries VALUES(?, ?, ?)'),
      remove: database.prepare('DELETE FROM entries WHERE id = ?'),
      oldest: database.prepare('SELECT id, t FROM entries ORDER BY id LIMIT 1'),
      next: database.prepare('SELECT id, fields FROM entries WHERE id BETWEEN ? AND ? ORDER BY id LIMIT 1'),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

function toId(number: number): string {
  return `${Math.floor(number / IDS_PER_MS)}-${number % IDS_PER_MS}`;
}

function toNumber(id: string): number {
  const [ms = 0, number = 0] = id.split('-').map(Number);
  return ms * IDS_PER_MS + number;
}
