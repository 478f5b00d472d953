import { closeSync, fsyncSync, openSync } from 'node:fs';
import type { SqliteDatabase } from '../SqliteDatabase.js';
import { makePrivateFile } from '../directory/makePrivateFile.js';
import { withDatabase } from '../openDatabase.js';
import { prepareCatalog, readCollectionRows, readFormat, readIndexRows } from '../schema/catalogTables.js';
import { prepareEpoch, readLogHead } from '../schema/changeLogTables.js';
import { reasonOf } from '../sqliteFailure.js';

/** What a copy of the database holds. */
export interface DatabaseContent {
  /** The change log's epoch and last position at the moment of the copy. */
  readonly epoch: string;
  readonly seq: number;
  readonly collections: readonly CollectionContent[];
}

/** `checksum`: the sum of the checksums of all documents, modulo 2^32. */
export interface CollectionContent {
  readonly index: string;
  readonly collection: string;
  readonly documents: number;
  readonly checksum: number;
}

/**
 * Copies a database, as it is at one moment, into a new file, while others write to it; then reads the copy back. Blocks
 * the thread. `VACUUM INTO` is one read transaction; SQLite's backup interface would start over with each write of
 * another connection. The copy is on the disk when the function returns.
 * @throws Error if it can't be copied, or the copy is damaged
 */
export function copyDatabase(file: string, target: string): DatabaseContent {
  copyInto(file, target);
  prepareCopy(target);
  const descriptor = openSync(target, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
  return readContent(target);
}

/** @throws Error naming the file and the problem: a format that this version doesn't read, a full disk */
function copyInto(file: string, target: string): void {
  try {
    withDatabase(file, {}, (source) => {
      readFormat(source);
      makePrivateFile(target);
      source.prepare('VACUUM INTO ?').run(target);
    });
  } catch (error) {
    throw new Error(`"${file}" can't be copied to "${target}": ${reasonOf(error)}`, { cause: error });
  }
}

/** A copy of a former format gets this one. Stored search indexes aren't copied: they are built again from the documents. */
function prepareCopy(file: string): void {
  withDatabase(file, {}, (database) => {
    if (prepareCatalog(database) !== undefined) prepareEpoch(database, file);
    database.exec('DELETE FROM index_files');
  });
}

/** Checks a database file and describes its content. @throws Error naming the damage */
function readContent(file: string): DatabaseContent {
  return withDatabase(file, { readOnly: true }, (database) => {
    const verdict = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
    if (verdict !== 'ok') throw new Error(`the copy is damaged: ${String(verdict)}`);
    readIndexRows(database);
    const collections = readCollectionRows(database).map(({ collectionNumber, ...row }) => ({
      index: row.index,
      collection: row.collection,
      ...countDocuments(database, collectionNumber),
    }));
    return { ...readLogHead(database), collections };
  });
}

/** @throws Error if the table and its index of ids don't have the same number of rows */
function countDocuments(database: SqliteDatabase, collectionNumber: number) {
  const table = `docs_${collectionNumber}`;
  const rows = database
    .prepare(`SELECT count(*) AS documents, coalesce(sum(c), 0) % 4294967296 AS checksum FROM ${table} NOT INDEXED`)
    .get();
  const ids = database.prepare(`SELECT count(*) AS ids FROM ${table}`).get()?.['ids'];
  const documents = Number(rows?.['documents']);
  if (documents !== Number(ids)) {
    throw new Error(`the copy is damaged: ${table} has ${documents} documents and ${String(ids)} ids`);
  }
  return { documents, checksum: Number(rows?.['checksum']) };
}
