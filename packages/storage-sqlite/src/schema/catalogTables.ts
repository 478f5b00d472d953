import { crc32 } from 'node:zlib';
import type { SqliteDatabase, SqlRow } from '../SqliteDatabase.js';
import { CREATE_CHANGE_LOG_SQL } from './changeLogTables.js';

/*
 * The catalog: the list of indexes and collections. Each row has a checksum `c`, like each document: a flipped byte in
 * a name or a mapping must prevent the start rather than hide a collection.
 */

/**
 * The layout of the file. A file of an unknown format is not changed.
 *
 *   1  documents without metadata
 *   2  metadata may precede a document's JSON (see storedText.ts)
 *   3  the change log: a version without it would write without recording
 */
export const STORE_FORMAT = 3;

/** Formats whose files are valid in this one with some tables more: the upgrade is one transaction. */
const FORMER_FORMATS: readonly number[] = [1, 2];

/** One stored index. */
export interface IndexRow {
  readonly name: string;
  readonly autoRefresh: boolean;
}

/** One stored collection. `mapping` is JSON text, `mappingVersion` grows by 1 with each change. */
export interface CollectionRow {
  readonly collectionNumber: number;
  readonly index: string;
  readonly collection: string;
  readonly mapping: string;
  readonly mappingVersion: number;
}

/** The checksum of an index row. */
export function indexChecksum(row: IndexRow): number {
  return crc32(JSON.stringify([row.name, row.autoRefresh]));
}

/** The checksum of a collection row. */
export function collectionChecksum(row: CollectionRow): number {
  const { collectionNumber, index, collection, mapping, mappingVersion } = row;
  return crc32(JSON.stringify([collectionNumber, index, collection, mapping, mappingVersion]));
}

/**
 * Creates the catalog in a new file, or checks that this version reads the file's format. A file of a former format is
 * marked with the current one, so that the version that wrote it refuses it from now on.
 * @returns the former format; undefined if the file is new or has this format already
 */
export function prepareCatalog(database: SqliteDatabase): number | undefined {
  const format = readFormat(database);
  database.exec(`
    BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value);
    CREATE TABLE IF NOT EXISTS indexes(
      name TEXT PRIMARY KEY, auto_refresh INTEGER NOT NULL, c INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS collections(
      k INTEGER PRIMARY KEY AUTOINCREMENT, index_name TEXT NOT NULL, name TEXT NOT NULL,
      mapping TEXT NOT NULL, mapping_version INTEGER NOT NULL, c INTEGER NOT NULL, UNIQUE(index_name, name));
    CREATE TABLE IF NOT EXISTS index_files(
      k INTEGER PRIMARY KEY, n INTEGER NOT NULL, s INTEGER NOT NULL, token TEXT NOT NULL);
    ${CREATE_CHANGE_LOG_SQL}
    INSERT INTO meta VALUES('format', ${STORE_FORMAT})
      ON CONFLICT DO UPDATE SET value = excluded.value WHERE value <> excluded.value;
    COMMIT`);
  return format === STORE_FORMAT ? undefined : format;
}

/**
 * Runs before anything is created: the file of an unknown version stays unchanged.
 * @throws Error for a format that this version doesn't read
 */
export function readFormat(database: SqliteDatabase): number | undefined {
  const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE name = 'meta'`).all();
  if (tables.length === 0) return undefined;
  const format = database.prepare(`SELECT value FROM meta WHERE key = 'format'`).get()?.['value'];
  if (typeof format === 'number' && (format === STORE_FORMAT || FORMER_FORMATS.includes(format))) {
    return format;
  }
  throw new Error(
    `it has format ${String(format)} and this version reads format ${STORE_FORMAT}: use the version that wrote it`,
  );
}

/** All indexes. @throws Error if a row is damaged */
export function readIndexRows(database: SqliteDatabase): IndexRow[] {
  return database
    .prepare('SELECT name, auto_refresh, c FROM indexes')
    .all()
    .map((row) => {
      const index = { name: String(row['name']), autoRefresh: row['auto_refresh'] === 1 };
      assertIntact(row, indexChecksum(index), `index "${index.name}"`);
      return index;
    });
}

/** All collections, or the one with this number. @throws Error if a row is damaged */
export function readCollectionRows(database: SqliteDatabase, collectionNumber?: number): CollectionRow[] {
  const select = 'SELECT k, index_name, name, mapping, mapping_version, c FROM collections';
  const rows =
    collectionNumber === undefined
      ? database.prepare(select).all()
      : database.prepare(`${select} WHERE k = ?`).all(collectionNumber);
  return rows.map((row) => {
    const collection = {
      collectionNumber: Number(row['k']),
      index: String(row['index_name']),
      collection: String(row['name']),
      mapping: String(row['mapping']),
      mappingVersion: Number(row['mapping_version']),
    };
    const name = `collection "${collection.index}/${collection.collection}"`;
    assertIntact(row, collectionChecksum(collection), name);
    return collection;
  });
}

function assertIntact(row: SqlRow, checksum: number, name: string): void {
  if (row['c'] !== checksum) {
    throw new Error(`the catalog entry of ${name} is damaged: its checksum does not match`);
  }
}
