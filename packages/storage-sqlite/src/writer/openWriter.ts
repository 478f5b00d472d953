import { statSync } from 'node:fs';
import { checkTables } from '../schema/checkTables.js';
import { openDatabase } from '../openDatabase.js';
import type { SqliteDatabase } from '../SqliteDatabase.js';
import type { OpenedStore } from './WriterEntry.js';
import { prepareCatalog, readCollectionRows, readIndexRows } from '../schema/catalogTables.js';
import { prepareEpoch } from '../schema/changeLogTables.js';

/**
 * The writer's page cache. Random ids access pages all over the unique index, but pages that are not in this cache are in
 * that of the operating system: with 1.2 million documents creates and imports take as much processor time with 16 MiB as with
 * 64 MiB (imports 11 % more with 8 MiB). The change log alone fills a larger one within hours.
 */
const PAGE_CACHE_KIB = 16 * 1024;

/**
 * Size of the log in pages (64 MiB) at which a commit copies it into the file. The longer the log, the more changes of
 * one page are copied once: groups of 64 creates run at 30k/s with 4,000 pages and 42k/s with 16,000 (pauses of 20 and
 * 30 ms).
 */
const CHECKPOINT_PAGES = 16_000;

/** The log file is truncated to this size when SQLite restarts it. */
const LOG_SIZE_LIMIT_BYTES = 64 * 1024 * 1024;

/**
 * Up to this size the whole file is checked at start (some 130 ms at most); larger files are checked by
 * `IntegrityWatch` afterwards.
 */
const FULL_CHECK_MAX_BYTES = 32 * 1024 * 1024;

/** A database opened for writing. */
export interface OpenedDatabase {
  readonly database: SqliteDatabase;
  readonly opened: OpenedStore;
}

/**
 * Opens the one writing connection, in WAL mode with `synchronous=FULL`, and verifies that the file is a healthy store.
 * @throws Error whose message names the problem with the file
 */
export function openWriter(file: string): OpenedDatabase {
  const database = openDatabase(file);
  try {
    database.exec(`
      PRAGMA cell_size_check = ON;
      PRAGMA trusted_schema = OFF;
      PRAGMA temp_store = MEMORY;
      PRAGMA cache_size = -${PAGE_CACHE_KIB};
      PRAGMA journal_size_limit = ${LOG_SIZE_LIMIT_BYTES};
      PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    // Set and read back: some drivers are built with a weaker default, and a file system may refuse WAL.
    expectPragma(database, 'journal_mode', 'WAL', 'wal');
    expectPragma(database, 'synchronous', 'FULL', 2);
    const checked = checkPages(database, file);
    const opened = { ...checked, formerFormat: prepareCatalog(database) };
    prepareEpoch(database, file);
    // Reads verify the checksums: a damaged catalog must be detected now.
    readIndexRows(database);
    readCollectionRows(database);
    return { database, opened };
  } catch (error) {
    database.close();
    throw error;
  }
}

function expectPragma(database: SqliteDatabase, name: string, set: string, expected: string | number): void {
  database.exec(`PRAGMA ${name} = ${set}`);
  const actual = database.prepare(`PRAGMA ${name}`).get()?.[name];
  if (actual !== expected) {
    throw new Error(`SQLite keeps ${name}=${String(actual)} where ${String(expected)} is needed`);
  }
}

function checkPages(database: SqliteDatabase, file: string): Omit<OpenedStore, 'formerFormat'> {
  if (statSync(file).size > FULL_CHECK_MAX_BYTES) return { isChecked: false, repaired: undefined };
  const verdict = checkAll(database);
  if (verdict === 'ok') return { isChecked: true, repaired: undefined };
  repairIndexes(database);
  if (checkAll(database) !== 'ok') throw new Error(`it is damaged: ${verdict}`);
  return { isChecked: true, repaired: verdict };
}

/** Rebuilds damaged id indexes if the documents are intact. */
function repairIndexes(database: SqliteDatabase): void {
  const steps = checkTables(database);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  for (const { collectionNumber, isMendable } of step.value) {
    if (isMendable) database.exec(`REINDEX docs_${collectionNumber}`);
  }
}

function checkAll(database: SqliteDatabase): string {
  return String(database.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']);
}
