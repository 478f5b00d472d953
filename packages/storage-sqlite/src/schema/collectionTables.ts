import type { SqliteDatabase } from '../SqliteDatabase.js';

/*
 * Every collection has three tables, named only by its number `k`: user input is never part of the SQL text.
 *
 *   docs_<k>  the living documents. `n` grows with each write and is never reused while the process lives: an update
 *             moves the row to a new `n`, so a reader that knows the highest `n` finds new rows by one range scan.
 *   gone_<k>  the `n`s of deleted rows, in order of `s`, for the search index; written from the first search on.
 *   old_<k>   rows deleted while a cursor was open, for that cursor's frozen view.
 *
 * gone and old serve the threads of one process and are emptied at start. Exception: for a collection with a stored
 * search index, gone keeps the deletions since the index file was written.
 */
const TABLES = ['docs', 'gone', 'old'] as const;

/** Creates the tables of a new collection. */
export function createCollectionTables(database: SqliteDatabase, collectionNumber: number): void {
  assertNumber(collectionNumber);
  // A rowid table with a unique id, not WITHOUT ROWID: random ids would move whole documents through the tree.
  database.exec(`
    CREATE TABLE docs_${collectionNumber}(
      n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, v INTEGER NOT NULL, c INTEGER NOT NULL, j TEXT NOT NULL);
    CREATE TABLE gone_${collectionNumber}(s INTEGER PRIMARY KEY, n INTEGER NOT NULL);
    CREATE TABLE old_${collectionNumber}(
      n INTEGER PRIMARY KEY, id TEXT NOT NULL, v INTEGER NOT NULL, c INTEGER NOT NULL, j TEXT NOT NULL);`);
}

/** Drops the tables of a collection that has no readers left. About 0.3 s per million documents. */
export function dropCollectionTables(database: SqliteDatabase, collectionNumber: number): void {
  assertNumber(collectionNumber);
  for (const table of TABLES) database.exec(`DROP TABLE IF EXISTS ${table}_${collectionNumber}`);
}

/** Removes the rows that only served the threads of the last process. */
export function clearCollectionScratch(
  database: SqliteDatabase,
  collectionNumber: number,
  keepsTombstones: boolean,
): void {
  assertNumber(collectionNumber);
  for (const table of keepsTombstones
    ? [`old_${collectionNumber}`]
    : [`gone_${collectionNumber}`, `old_${collectionNumber}`]) {
    // Clearing an empty table writes a page too.
    const isEmpty = database.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() === undefined;
    if (!isEmpty) database.exec(`DELETE FROM ${table}`);
  }
}

/** The numbers of all collections that have tables, in no particular order, whether or not they are in the catalog. */
export function listCollectionTables(database: SqliteDatabase): number[] {
  return database
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'docs_[0-9]*'`)
    .all()
    .map((row) => Number.parseInt(String(row['name']).slice('docs_'.length), 10));
}

function assertNumber(collectionNumber: number): void {
  if (!Number.isSafeInteger(collectionNumber)) throw new TypeError(`No collection number: ${collectionNumber}`);
}
