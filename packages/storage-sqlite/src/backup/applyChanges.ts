import type { SqliteDatabase } from '../SqliteDatabase.js';
import { withDatabase } from '../openDatabase.js';
import {
  collectionChecksum,
  indexChecksum,
  readCollectionRows,
  readIndexRows,
  prepareCatalog,
  type CollectionRow,
} from '../schema/catalogTables.js';
import { LOG_KIND } from '../schema/changeLogTables.js';
import { createCollectionTables, dropCollectionTables } from '../schema/collectionTables.js';
import { SEGMENT_FORMAT } from './exportChanges.js';

/** A moment: a position of the change log, or a time in UTC milliseconds. */
export type Moment = { readonly seq: number } | { readonly timeMs: number };

/** A segment to apply: see `exportChanges`. */
export interface ApplyRequest {
  /** The restored database, which no engine uses. */
  readonly file: string;
  readonly segment: string;
  /** The position of the database. */
  readonly from: number;
  /** The last position of the segment. */
  readonly to: number;
  /** Changes after it are left out; undefined: none. */
  readonly until: Moment | undefined;
}

/**
 * Applies the changes of a segment to a database. Blocks the thread.
 * @returns the position of the database, which is less than the segment's if the moment is within it
 * @throws Error for a segment of a later format
 */
export function applyChanges({ file, segment, from, to, until }: ApplyRequest): number {
  const catalog = readCatalog(segment);
  return withDatabase(file, {}, (database) => {
    database.prepare('ATTACH ? AS segment').all(segment);
    database.exec('PRAGMA temp_store = MEMORY; CREATE TEMP TABLE touched(id TEXT PRIMARY KEY)');
    const upTo = positionOf(database, until, to);
    if (upTo <= from) return from;
    database.exec('BEGIN IMMEDIATE');
    const isWhole = upTo === to;
    applyCatalog(database, catalog, isWhole);
    const collections = readCollectionRows(database);
    for (const row of database.prepare('SELECT k, index_name, name FROM segment.covers').all()) {
      const found = collections.find(
        ({ index, collection }) => index === row['index_name'] && collection === row['name'],
      );
      if (found === undefined) continue;
      const changes = { cover: Number(row['k']), table: `docs_${found.collectionNumber}` };
      applyDocuments(database, { ...changes, from, upTo });
    }
    database.exec('COMMIT');
    return upTo;
  });
}

/** The last position that isn't after the moment. */
function positionOf(database: SqliteDatabase, until: Moment | undefined, to: number): number {
  if (until === undefined) return to;
  if ('seq' in until) return Math.min(to, until.seq);
  const next = database.prepare('SELECT min(seq) AS seq FROM segment.log WHERE at > ?').get(until.timeMs)?.['seq'];
  return next === null || next === undefined ? to : Number(next) - 1;
}

interface Catalog {
  readonly indexes: ReturnType<typeof readIndexRows>;
  readonly collections: readonly CollectionRow[];
}

function readCatalog(segment: string): Catalog {
  return withDatabase(segment, { readOnly: true }, (database) => {
    const format = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    if (format > SEGMENT_FORMAT)
      throw new Error(
        `"${segment}" has format ${format} and this version reads format ${SEGMENT_FORMAT}: use the version that wrote it`,
      );
    return { indexes: readIndexRows(database), collections: readCollectionRows(database) };
  });
}

/** Within a segment, collections and fields that were added later are added too, and none is removed. */
function applyCatalog(database: SqliteDatabase, { indexes, collections }: Catalog, isWhole: boolean): void {
  if (isWhole) removeAbsent(database, { indexes, collections });
  const putIndex = database.prepare('INSERT OR REPLACE INTO indexes(name, auto_refresh, c) VALUES(?, ?, ?)');
  for (const row of indexes) putIndex.run(row.name, row.autoRefresh ? 1 : 0, indexChecksum(row));
  const known = readCollectionRows(database);
  const put = database.prepare(
    `INSERT OR REPLACE INTO collections(k, index_name, name, mapping, mapping_version, c) VALUES(?, ?, ?, ?, ?, ?)`,
  );
  for (const row of collections) {
    const found = known.find((each) => isSame(each, row));
    if (found === undefined) createCollectionTables(database, row.collectionNumber);
    // A truncate changes the number: the one in this database is kept.
    const merged = { ...row, collectionNumber: (found ?? row).collectionNumber };
    const { collectionNumber, index, collection, mapping, mappingVersion } = merged;
    const checksum = collectionChecksum(merged);
    put.run(collectionNumber, index, collection, mapping, mappingVersion, checksum);
  }
}

function removeAbsent(database: SqliteDatabase, { indexes, collections }: Catalog): void {
  for (const row of readCollectionRows(database)) {
    if (collections.some((each) => isSame(each, row))) continue;
    database.prepare('DELETE FROM collections WHERE k = ?').run(row.collectionNumber);
    dropCollectionTables(database, row.collectionNumber);
  }
  for (const { name } of readIndexRows(database))
    if (!indexes.some((each) => each.name === name)) database.prepare('DELETE FROM indexes WHERE name = ?').run(name);
}

function isSame(left: CollectionRow, right: CollectionRow): boolean {
  return left.index === right.index && left.collection === right.collection;
}

interface DocumentChanges {
  readonly cover: number;
  readonly table: string;
  readonly from: number;
  readonly upTo: number;
}

function applyDocuments(database: SqliteDatabase, changes: DocumentChanges): void {
  const { cover, table, upTo } = changes;
  const { wiped } = LOG_KIND;
  const wipe = (order: string, after: number, last: number) =>
    database
      .prepare(`SELECT ${order}(seq) AS seq FROM segment.log WHERE k = ? AND kind = ${wiped} AND seq > ? AND seq <= ?`)
      .get(cover, after, last)?.['seq'] ?? null;
  const lastWipe = wipe('max', changes.from, upTo);
  if (lastWipe !== null) database.exec(`DELETE FROM ${table}`);
  const from = lastWipe === null ? changes.from : Number(lastWipe);
  const nextWipe = wipe('min', upTo, Number.MAX_SAFE_INTEGER);
  database.exec('DELETE FROM touched');
  database
    .prepare(`INSERT INTO touched SELECT DISTINCT id FROM segment.log WHERE k = ? AND seq > ? AND seq <= ?`)
    .run(cover, from, upTo);
  database.exec(`DELETE FROM ${table} WHERE id IN (SELECT id FROM touched)`);
  const end = nextWipe === null ? Number.MAX_SAFE_INTEGER : Number(nextWipe);
  database.prepare(imagesSql(table, nextWipe === null)).run(cover, upTo, end);
}

/** Inserts the documents of the ids in `touched` as they were at position ?2 of cover ?1; ?3: the next wipe. */
function imagesSql(table: string, isFinal: boolean): string {
  const { created, replaced } = LOG_KIND;
  const next = `SELECT min(seq) FROM segment.log WHERE k = ?1 AND id = touched.id AND seq > ?2 AND seq < ?3`;
  const last = `SELECT max(seq) FROM segment.log WHERE k = ?1 AND id = touched.id AND seq <= ?2`;
  // The documents that a wipe removed are not in the log: of one that was replaced just before, the former content is
  // the latest that is known.
  const rest = isFinal
    ? `JOIN segment.final AS image ON image.k = ?1 AND image.id = touched.id`
    : `JOIN segment.log AS image ON image.seq = (${last}) AND image.kind = ${replaced}`;
  return `INSERT INTO ${table}(id, v, c, j)
    SELECT touched.id, image.v, image.c, image.j FROM touched
      JOIN segment.log AS image ON image.seq = (${next}) WHERE image.kind <> ${created}
    UNION ALL
    SELECT touched.id, image.v, image.c, image.j FROM touched ${rest} WHERE (${next}) IS NULL`;
}

/**
 * Empties the change log of a restored database: it gets a new epoch at the next start, whatever file it is in then.
 * @param seq the position of the database
 * @throws Error for a format that this version doesn't read
 */
export function beginNewLog(file: string, seq: number): void {
  withDatabase(file, {}, (database) => {
    prepareCatalog(database);
    database.exec(`BEGIN IMMEDIATE;
      DELETE FROM log; DELETE FROM log_covers; DELETE FROM log_pins;
      DELETE FROM meta WHERE key = 'log_file'`);
    database.prepare(`INSERT OR REPLACE INTO meta VALUES('log_seq', ?)`).run(seq);
    database.exec('COMMIT');
  });
}
