import { closeSync, fsyncSync, openSync } from 'node:fs';
import { makePrivateFile } from '../directory/makePrivateFile.js';
import { withDatabase } from '../openDatabase.js';
import { readLogHead } from '../schema/changeLogTables.js';
import type { SqliteDatabase } from '../SqliteDatabase.js';

/*
 * A segment is a database with the changes of all collections between two positions of the change log:
 *
 *   log          the rows of the change log: the document before each change
 *   final        the documents after the last change of each id; absent: it was deleted
 *   covers       the names of the collections that `k` of both tables stands for
 *   indexes, collections   the catalog at the last position, as in the store
 *
 * The state at any position in between follows: of each document changed before it, the image before its next change,
 * or else its row in `final`. Its format is in `user_version`: 0 is the same as 1.
 */
export const SEGMENT_FORMAT = 1;

const CREATE_SEGMENT_SQL = `
  PRAGMA segment.user_version = ${SEGMENT_FORMAT};
  CREATE TABLE segment.log(
    seq INTEGER PRIMARY KEY, k INTEGER NOT NULL, id TEXT NOT NULL, kind INTEGER NOT NULL, v INTEGER NOT NULL,
    at INTEGER NOT NULL, c INTEGER NOT NULL, j TEXT);
  CREATE TABLE segment.final(
    k INTEGER NOT NULL, id TEXT NOT NULL, v INTEGER NOT NULL, c INTEGER NOT NULL, j TEXT NOT NULL,
    PRIMARY KEY(k, id));
  CREATE TABLE segment.covers AS
    SELECT k, index_name, name FROM main.log_covers WHERE name IS NOT NULL;
  CREATE TABLE segment.indexes AS SELECT * FROM main.indexes;
  CREATE TABLE segment.collections AS SELECT * FROM main.collections;`;

/** The outcome of an export. `gap`: changes after the position have not been recorded, or were removed. */
export type ExportOutcome =
  | { readonly kind: 'gap' }
  | { readonly kind: 'none' }
  | { readonly kind: 'exported'; readonly epoch: string; readonly to: number };

/** What to export. */
export interface ExportRequest {
  /** The database, which may be in use. */
  readonly file: string;
  /** A file that doesn't exist; not created unless changes are exported. */
  readonly target: string;
  /** The last exported position. */
  readonly after: number;
  /** Another epoch in the log is a gap. */
  readonly epoch: string;
  /** The first export since the start: collections whose recording began later are a gap. */
  readonly isFirst: boolean;
}

/** Exports the changes after a position into a new file. Blocks the thread. The file is on the disk at the end. */
export function exportChanges(request: ExportRequest): ExportOutcome {
  const { file, target, after } = request;
  // Not read-only: an attached database would be so too. Nothing is written to this one.
  return withDatabase(file, {}, (database) => {
    // One read transaction from here on.
    database.exec('BEGIN');
    const { epoch, seq } = readLogHead(database);
    database.exec('COMMIT');
    if (epoch !== request.epoch) return { kind: 'gap' };
    if (seq === after) return { kind: 'none' };
    makePrivateFile(target);
    database.prepare('ATTACH ? AS segment').all(target);
    database.exec('PRAGMA segment.journal_mode = OFF; PRAGMA segment.synchronous = OFF; BEGIN');
    const to = readLogHead(database).seq;
    const hasGap = isIncomplete(database, request);
    if (!hasGap) write(database, after);
    database.exec('COMMIT');
    if (hasGap) return { kind: 'gap' };
    syncFile(target);
    return { kind: 'exported', epoch, to };
  });
}

function isIncomplete(database: SqliteDatabase, { after, isFirst }: ExportRequest): boolean {
  const condition = isFirst ? 'since > ?1 OR trimmed > ?1' : 'trimmed > ?1 AND since <= ?1';
  const sql = `SELECT 1 FROM log_covers WHERE name IS NOT NULL AND (${condition}) LIMIT 1`;
  return database.prepare(sql).get(after) !== undefined;
}

function write(database: SqliteDatabase, after: number): void {
  database.exec(CREATE_SEGMENT_SQL);
  database
    .prepare(
      `INSERT INTO segment.log(seq, k, id, kind, v, at, c, j)
        SELECT seq, k, id, kind, v, at, c, j FROM main.log
        WHERE seq > ? AND k IN (SELECT k FROM segment.covers) ORDER BY seq`,
    )
    .run(after);
  database.exec('CREATE INDEX segment.log_by_id ON log(k, id, seq)');
  const living = database.prepare(
    `SELECT covers.k AS cover, collections.k AS collection FROM segment.covers
      JOIN segment.collections USING (index_name, name)`,
  );
  for (const { cover, collection } of living.all()) {
    database
      .prepare(
        `INSERT INTO segment.final(k, id, v, c, j)
          SELECT ?1, id, v, c, j FROM main.docs_${Number(collection)}
          WHERE id IN (SELECT id FROM segment.log WHERE k = ?1)`,
      )
      .run(Number(cover));
  }
}

function syncFile(path: string): void {
  const descriptor = openSync(path, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
