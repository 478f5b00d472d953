import { rowChecksum } from '../rowChecksum.js';
import { listCollectionTables } from '../schema/collectionTables.js';
import type { SqliteDatabase } from '../SqliteDatabase.js';
import { isMissingTable, reasonOf } from '../sqliteFailure.js';

/*
 * Compares the documents with the index of their ids. Document rows carry a checksum, the pages of the index carry none:
 * one flipped bit there hides a document from reads by id, and lets a second one be created under its id. Every row is
 * looked up by its id in the index; an entry that was changed always leaves its row without one.
 *
 * SQLite's `integrity_check` does the same in one statement (3.1 s for 460 MB where this takes 3.9 s), which can't be
 * interrupted: ending its thread meanwhile ends the process, and the write-ahead log can't start again until it is done.
 * This one goes in batches of a few milliseconds, each with a read transaction of its own.
 *
 * An index may be rebuilt from its table only where the table is known to be right. A flipped bit in the `id` of a row
 * looks the same, and there the index has the right id: rebuilding it would lose the document. Therefore the checksums
 * of all rows are verified first, and ids must be unique.
 */

const BATCH_ROWS = 500;

/** So many ids are named. */
const MAX_NAMED_IDS = 10;

/** What is wrong with the documents of one collection. */
export interface TableDamage {
  /** The number of the collection. */
  readonly k: number;
  /** What was found, without ids. */
  readonly problem: string;
  /** Ids of rows whose checksum does not match; the first ones. */
  readonly damagedRows: readonly string[];
  /** Ids that more than one row has; the first ones. */
  readonly duplicates: readonly string[];
  /** True where the rows are intact, so that the index can be rebuilt from them. */
  readonly isMendable: boolean;
}

/**
 * Checks the documents of the collections with these numbers; default: of all. Yields after each batch, so that the
 * caller can pause or stop.
 */
export function* checkTables(
  database: SqliteDatabase,
  ks: readonly number[] = listCollectionTables(database),
): Generator<undefined, readonly TableDamage[]> {
  const damages: TableDamage[] = [];
  for (const k of ks) {
    try {
      const damage = yield* checkTable(database, k);
      if (damage !== undefined) damages.push(damage);
    } catch (error) {
      // Dropped since the list was made.
      if (!isMissingTable(error)) throw error;
    }
  }
  return damages;
}

type Step<T> = Generator<undefined, T>;

function* checkTable(database: SqliteDatabase, k: number): Step<TableDamage | undefined> {
  const duplicates = new Set<string>();
  const seen = new Set<string>();
  let missing = 0;
  let failure: string | undefined;
  try {
    const otherRow = database.prepare(`SELECT n FROM docs_${k} WHERE id = ?`);
    for (const batch of readRows(database, k, `n, id, ${isIndexed(k)} AS is_indexed`)) {
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
  const damagedRows = yield* findDamagedRows(database, k);
  return {
    k,
    problem,
    damagedRows: damagedRows ?? [],
    duplicates: [...duplicates].slice(0, MAX_NAMED_IDS),
    isMendable: damagedRows?.length === 0 && duplicates.size === 0,
  };
}

/** @returns undefined where the table can't be read to its end */
function* findDamagedRows(
  database: SqliteDatabase,
  k: number,
): Step<readonly string[] | undefined> {
  const found: string[] = [];
  try {
    for (const batch of readRows(database, k, 'n, id, v, c, j')) {
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
function* readRows(database: SqliteDatabase, k: number, columns: string) {
  const statement = database.prepare(
    `SELECT ${columns} FROM docs_${k} AS d NOT INDEXED WHERE n > ? ORDER BY n LIMIT ${BATCH_ROWS}`,
  );
  let n = -1;
  for (;;) {
    const batch = statement.all(n);
    if (batch.length > 0) yield batch;
    if (batch.length < BATCH_ROWS) return;
    n = Number(batch.at(-1)?.['n']);
  }
}

function isIndexed(k: number): string {
  return `EXISTS(
    SELECT 1 FROM docs_${k} AS i INDEXED BY sqlite_autoindex_docs_${k}_1 WHERE i.id = d.id AND i.n = d.n)`;
}
