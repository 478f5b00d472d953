import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateDirectory } from '@millrace/kernel';
import type { JsonObject } from '@millrace/language';
import { compileMapping, parseMapping } from '@millrace/query';
import type { SqliteDatabase, SqliteStatement } from '../../SqliteDatabase.js';
import { CollectionIndex, IndexInput, IndexOutput, NestedIndex, UnusableIndex } from '@millrace/search';
import { indexFileName, removeIndexesOf, removeIndexFiles } from './indexFiles.js';
import { IndexStoring } from './IndexStoring.js';

/*
 * Indexes stored as files next to the database: a cache. A file is valid if the database has a record of it
 * (`index_files`, written after the file is complete) with the file's random token, and its checksum matches; it then
 * contains the index up to a row and a tombstone number, and the writer keeps all later tombstones. All other files, such
 * as a torn one or one of another database or version, are ignored: the index is built from the documents.
 */

/**
 * Increment it when the indexing of documents or the file layout changes. Tokenization also depends on Unicode's
 * tables, and numbers are written in the machine's byte order.
 */
const FORMAT = `5, Unicode ${process.versions['unicode'] ?? '?'}, ${new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 'little' : 'big'}-endian`;

const CHECKSUM_BYTES = 4;

/** The index files of one database. */
export class StoredIndexes {
  private readonly record: SqliteStatement;

  constructor(
    private readonly database: SqliteDatabase,
    private readonly directory: string,
  ) {
    this.record = database.prepare('SELECT n, s, token FROM index_files WHERE k = ?');
    this.record.setReturnArrays(true);
  }

  /** Loads the stored index of a collection, not yet updated; undefined if there is no valid one. */
  load(collectionNumber: number): CollectionIndex | undefined {
    const row = this.record.get(collectionNumber) as unknown as readonly [number, number, string] | undefined;
    if (row === undefined) return undefined;
    const [rowNumber, tombstoneNumber, token] = row;
    try {
      const file = openSync(join(this.directory, indexFileName(collectionNumber, token)), 'r');
      try {
        const index = read(file, collectionNumber, token);
        return index.highestRowNumber === rowNumber && index.lastTombstone === tombstoneNumber ? index : undefined;
      } finally {
        closeSync(file);
      }
    } catch {
      // Errors are ignored: the file is only a cache.
      return undefined;
    }
  }

  /** Starts storing the current index, which may change meanwhile. @param mapping that of the index, as JSON text */
  begin(collectionNumber: number, index: CollectionIndex, mapping: string): IndexStoring {
    const token = randomBytes(8).toString('hex');
    const output = new IndexOutput();
    const { mappingVersion, highestRowNumber: rowNumber, lastTombstone: tombstoneNumber, slotCount } = index;
    output.json({ format: FORMAT, k: collectionNumber, token, mappingVersion, mapping });
    index.store(output);
    makePrivateDirectory(this.directory);
    const path = join(this.directory, indexFileName(collectionNumber, token));
    return new IndexStoring(path, { collectionNumber, rowNumber, tombstoneNumber, token }, slotCount, output);
  }

  /** Removes the files of a collection except one. */
  removeOthers(collectionNumber: number, token: string | undefined): void {
    const kept = token === undefined ? undefined : indexFileName(collectionNumber, token);
    removeIndexesOf(this.directory, collectionNumber, kept);
  }

  /** Removes one file. */
  remove(collectionNumber: number, token: string): void {
    const unwanted = indexFileName(collectionNumber, token);
    removeIndexFiles(this.directory, (name) => name === unwanted);
  }

  /** Removes files without a record: those of removed collections, and incomplete ones. */
  cleanUp(): void {
    const statement = this.database.prepare('SELECT k, token FROM index_files');
    const known = new Set(statement.all().map((row) => indexFileName(Number(row['k']), String(row['token']))));
    removeIndexFiles(this.directory, (name) => !known.has(name));
  }
}

function read(file: number, collectionNumber: number, token: string): CollectionIndex {
  const size = fstatSync(file).size - CHECKSUM_BYTES;
  const input = new IndexInput(file, Math.max(0, size));
  const head = input.json() as JsonObject;
  const { format, mapping: mappingText } = head;
  if (format !== FORMAT || head['k'] !== collectionNumber || head['token'] !== token) {
    throw new UnusableIndex('it is another one');
  }
  if (typeof mappingText !== 'string') throw new UnusableIndex('it has no mapping');
  const mapping = parseMapping(JSON.parse(mappingText) as JsonObject);
  const index = new CollectionIndex(compileMapping(mapping), Number(head['mappingVersion']));
  index.restore(input, (path, parent) => new NestedIndex(parent.mapping, parent.mappingVersion, path, parent));
  const sum = new Uint8Array(CHECKSUM_BYTES);
  readSync(file, sum, 0, CHECKSUM_BYTES, size);
  if (!input.isAtEnd || new Uint32Array(sum.buffer)[0] !== input.checksum) {
    throw new UnusableIndex('its checksum does not match');
  }
  return index;
}
