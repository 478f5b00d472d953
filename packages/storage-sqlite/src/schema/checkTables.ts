import { rowChecksum } from '../storedText.js';
import { listCollectionTables } from './collectionTables.js';
import type { SqliteDatabase } from '../SqliteDatabase.js';
import { isMissingTable, reasonOf } from '../sqliteFailure.js';

/*
 * Compares the documents with the index of their ids. Document rows have a checksum, the pages of the index have none:
 * one flipped bit there hides a document from reads by id, and allows a second document with the same id. The check
 * looks up every row by its id in the index; a changed entry always leaves its row without one.
 *
 * SQLite's `integrity_check` does the same in one statement (3.1 s for 460 MB where this takes 3.9 s), but can't be
 * interrupted: ending its thread ends the process, and the write-ahead log can't be restarted until it is done. This
 * check runs in batches of a few milliseconds, each with a separate read transaction.
 *
 * An index may be rebuilt from its table only if the table is known to be right. A flipped bit in the `id` of a row
 * looks the same, but there the index has the right id: rebuilding it would lose the document. Therefore the checksums
 * of all rows are verified first, and ids must be unique.
 */

const BATCH_ROWS = 500;

/** Maximum number of ids in a report. */
const MAX_NAMED_IDS = 10;

/** Damage to the documents of one collection. */
export interface TableDamage {
  /** The number of the collection. */
  readonly collectionNumber: number;
  /** The damage found, without ids. */
  readonly problem: string;
  /** The first ids of rows whose checksum does not match. */
  readonly damagedRows: readonly string[];
  /** The first ids that more than one row has. */
  readonly duplicates: readonly string[];
  /** True if the rows are intact, so that the index can be rebuilt from them. */
  readonly isMendable: boolean;
}

/**
 * Checks the documents of the collections with these numbers; default: all. Yields after each batch, so that the caller
 * can pause or stop.
 */
export function* checkTables(
  database: SqliteDatabase,
  collectionNumbers: readonly number[] = listCollectionTables(database),
): Generator<undefined, readonly TableDamage[]> {
  const damages: TableDamage[] = [];
  for (const collectionNumber of collectionNumbers) {
    try {
      const damage = yield* checkTable(database, collectionNumber);
      if (damage !== undefined) damages.push(damage);
    } catch (error) {
      // The table was dropped after the list was made.
      if (!isMissingTable(error)) throw error;
    }
  }
  return damages;
}

type Step<T> = Generator<undefined, T>;

function* checkTable(database: SqliteDatabase, collectionNumber: number): Step<TableDamage | undefined> {
  const duplicates = new Set<string>();
  const seen = new Set<string>();
  let missing = 0;
  let failure: string | undefined;
  try {
    const otherRow = database.prepare(`SELECT n FROM docs_${collectionNumber} WHERE id = ?`);
    for (const batch of readRows(database, collectionNumber, `n, id, ${isIndexed(collectionNumber)} AS is_indexed`)) {
      for (const row of batch) {
        if (row['is_indexed'] === 1) continue;
        missing += 1;
        const id = String(row['id']);
        if (seen.has(id) || otherRow.get(id) !== undefined) duplicates.add(id);
        seen.add(id);
      }
      yield;
    }
  } catch (error) {
    if (isMissingTable(error)) throw error;
    failure = reasonOf(error);
  }
  if (missing === 0 && failure === undefined) return undefined;
  const problem = failure ?? `${missing} document(s) without an entry in the index of ids`;
  const damagedRows = yield* findDamagedRows(database, collectionNumber);
  return {
    collectionNumber,
    problem,
    damagedRows: damagedRows ?? [],
    duplicates: [...duplicates].slice(0, MAX_NAMED_IDS),
    isMendable: damagedRows?.length === 0 && duplicates.size === 0,
  };
}

/** @returns undefined if the table can't be read completely */
function* findDamagedRows(database: SqliteDatabase, collectionNumber: number): Step<readonly string[] | undefined> {
  const found: string[] = [];
  try {
    for (const batch of readRows(database, collectionNumber, 'n, id, v, c, j')) {
      for (const row of batch) {
        const id = String(row['id']);
        const sum = rowChecksum(Number(row['v']), id, String(row['j']));
        if (sum !== row['c'] && found.push(id) === MAX_NAMED_IDS) return found;
      }
      yield;
    }
  } catch (error) {
    if (isMissingTable(error)) throw error;
    return undefined;
  }
  return found;
}

/** All rows in batches, read from the table itself. */
function* readRows(database: SqliteDatabase, collectionNumber: number, columns: string) {
  const statement = database.prepare(
    `SELECT ${columns} FROM docs_${collectionNumber} AS d NOT INDEXED WHERE n > ? ORDER BY n LIMIT ${BATCH_ROWS}`,
  );
  let rowNumber = -1;
  for (;;) {
    const batch = statement.all(rowNumber);
    if (batch.length > 0) yield batch;
    if (batch.length < BATCH_ROWS) return;
    rowNumber = Number(batch.at(-1)?.['n']);
  }
}

function isIndexed(collectionNumber: number): string {
  return `EXISTS(
    SELECT 1 FROM docs_${collectionNumber} AS i INDEXED BY sqlite_autoindex_docs_${collectionNumber}_1 WHERE i.id = d.id AND i.n = d.n)`;
}
