import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import type { SqliteDatabase } from '../SqliteDatabase.js';

/*
 * The change log (docs/reference/change-log.md).
 *
 *   log_covers  the recorded collections, by name: they may be absent from the catalog, and a truncate changes their
 *               number there. `k` is never reused. Changes after `since` are recorded, those up to `trimmed` were
 *               removed again. `until`: end of recording in UTC milliseconds, null while there are subscriptions. The
 *               names are null if recording has ended and rows remain to be removed.
 *   log         one row per change. `j` and `v` are the document BEFORE the change, with its checksum `c`: the document
 *               after it is in the next row of that id, or is the living document. `t` is the number of bytes recorded
 *               for the collection up to and including this row. `o`: see formatCursor.ts.
 *   log_pins    positions after which changes are kept beyond the ordinary age.
 *
 * In `meta`: `log_epoch`; `log_file`, the identity of the file that the epoch belongs to; `log_seq`, a lower bound of
 * the last position, for a log whose last rows were removed.
 */
export const CREATE_CHANGE_LOG_SQL = `
    CREATE TABLE IF NOT EXISTS log_covers(
      k INTEGER PRIMARY KEY AUTOINCREMENT, index_name TEXT, name TEXT, since INTEGER NOT NULL,
      trimmed INTEGER NOT NULL, until INTEGER, UNIQUE(index_name, name));
    CREATE TABLE IF NOT EXISTS log(
      seq INTEGER PRIMARY KEY, k INTEGER NOT NULL, id TEXT NOT NULL, kind INTEGER NOT NULL, v INTEGER NOT NULL,
      at INTEGER NOT NULL, o TEXT NOT NULL, t INTEGER NOT NULL, c INTEGER NOT NULL, j TEXT);
    CREATE INDEX IF NOT EXISTS log_by_cover ON log(k, seq);
    CREATE TABLE IF NOT EXISTS log_pins(
      k INTEGER NOT NULL, holder TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL,
      PRIMARY KEY(k, holder)) WITHOUT ROWID;`;

/** Column `kind`. */
export const LOG_KIND = {
  created: 0,
  replaced: 1,
  deleted: 2,
  /** All documents of the collection were removed; `id` is empty. */
  wiped: 3,
} as const;

/**
 * Gives the log an epoch, and a new one if the file is a copy: positions of a restored backup would otherwise be
 * assigned twice.
 */
export function prepareEpoch(database: SqliteDatabase, file: string): void {
  const { ino, birthtimeMs } = statSync(file);
  const identity = `${ino}:${Math.round(birthtimeMs)}`;
  if (readMeta(database, 'log_file') === identity) return;
  const epoch = newEpoch();
  database.exec('BEGIN IMMEDIATE');
  const put = database.prepare('INSERT OR REPLACE INTO meta VALUES(?, ?)');
  put.run('log_epoch', epoch);
  put.run('log_file', identity);
  database.exec('COMMIT');
}

/** 40 random bits. */
export function newEpoch(): string {
  return randomBytes(5).readUIntBE(0, 5).toString(36).padStart(8, '0');
}

/** The epoch and the last position that was ever assigned. */
export function readLogHead(database: SqliteDatabase): { epoch: string; seq: number } {
  const last = database.prepare('SELECT max(seq) AS seq FROM log').get()?.['seq'];
  const seq = Math.max(Number(last ?? 0), Number(readMeta(database, 'log_seq') ?? 0));
  return { epoch: String(readMeta(database, 'log_epoch')), seq };
}

export function readMeta(database: SqliteDatabase, key: string): unknown {
  return database.prepare('SELECT value FROM meta WHERE key = ?').get(key)?.['value'];
}
