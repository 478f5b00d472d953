import { statSync } from 'node:fs';
import { openDatabase } from '../openDatabase.js';
import type { SqliteDatabase } from '../SqliteDatabase.js';
import { prepareCatalog, readCollectionRows, readIndexRows } from './catalogTables.js';

/** The writer's page cache: random ids touch pages all over the unique index. */
const PAGE_CACHE_KIB = 64 * 1024;

/**
 * Pages of log (64 MiB) after which a commit copies them into the file. The longer the log, the more changes of one page
 * are copied once: groups of 64 creates run at 30k/s with 4,000 pages and 42k/s with 16,000 (pauses of 20 and 30 ms).
 */
const CHECKPOINT_PAGES = 16_000;

/** The log file is cut back to this size when it starts anew. */
const LOG_SIZE_LIMIT_BYTES = 64 * 1024 * 1024;

/** Up to here the whole file is checked at start (some 130 ms at most); above, damage shows when a row is read. */
const FULL_CHECK_MAX_BYTES = 32 * 1024 * 1024;

/**
 * Opens the one writing connection, in WAL mode with `synchronous=FULL`, and makes sure that the file is a healthy store.
 * @throws Error whose message says what is wrong with the file
 */
export function openWriter(file: string): SqliteDatabase {
  const database = openDatabase(file);
  try {
    database.exec(`
      PRAGMA cell_size_check = ON;
      PRAGMA trusted_schema = OFF;
      PRAGMA temp_store = MEMORY;
      PRAGMA cache_size = -${PAGE_CACHE_KIB};
      PRAGMA journal_size_limit = ${LOG_SIZE_LIMIT_BYTES};
      PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    // Set and read back: drivers are built with a weaker default, and a file system may refuse WAL.
    expectPragma(database, 'journal_mode', 'WAL', 'wal');
    expectPragma(database, 'synchronous', 'FULL', 2);
    checkPages(database, file);
    prepareCatalog(database);
    // Read for their checksums: a damaged catalog must show now.
    readIndexRows(database);
    readCollectionRows(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function expectPragma(
  database: SqliteDatabase,
  name: string,
  set: string,
  expected: string | number,
): void {
  database.exec(`PRAGMA ${name} = ${set}`);
  const actual = database.prepare(`PRAGMA ${name}`).get()?.[name];
  if (actual !== expected) {
    throw new Error(`SQLite keeps ${name}=${String(actual)} where ${String(expected)} is needed`);
  }
}

function checkPages(database: SqliteDatabase, file: string): void {
  if (statSync(file).size > FULL_CHECK_MAX_BYTES) return;
  const verdict = database.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check'];
  if (verdict !== 'ok') throw new Error(`it is damaged: ${String(verdict)}`);
}
