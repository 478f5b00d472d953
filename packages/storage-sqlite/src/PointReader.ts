import { MillraceError, storageErrors, type CollectionName, type StoredText } from '@millrace/kernel';
import { openDatabase } from './openDatabase.js';
import { isMissingTable, reasonOf } from './sqliteFailure.js';
import { readDocumentRow } from './storedText.js';
import type { SqliteDatabase, SqliteStatement } from './SqliteDatabase.js';
import { TurnSnapshot } from './TurnSnapshot.js';

/** Maximum number of cached statements. Preparing a statement takes as long as a read. */
const MAX_STATEMENTS = 512;

/** Rows read at a time. Of large documents these are some 100 MB. */
const PAGE_ROWS = 100;

/** With return arrays on, a row is an array of columns. */
type PointRow = readonly [version: number, checksum: number, stored: string];

/** Which documents of a collection to read. */
export interface PageRequest {
  /** Row numbers. */
  readonly after: number;
  readonly until: number;
  readonly maxDocuments: number;
  readonly maxChars: number;
}

/** Some documents of a collection. */
export interface DocumentPage {
  readonly documents: readonly StoredText[];
  /** The row number of the last one. */
  readonly last: number;
}

/**
 * Reads documents by id on the main thread, in a few microseconds each. Every read sees all acknowledged writes.
 * `TurnSnapshot` explains how.
 */
export class PointReader {
  readonly database: SqliteDatabase;
  private readonly snapshot: TurnSnapshot;
  private readonly statements = new Map<number, SqliteStatement>();

  /** The store must already be open for writing. */
  constructor(databaseFile: string) {
    this.database = openDatabase(databaseFile, { readOnly: true });
    this.database.exec('PRAGMA cell_size_check = ON');
    this.snapshot = new TurnSnapshot(this.database);
  }

  /**
   * @param collectionNumber the number of the collection `name`
   * @throws storage.corrupt if the row is damaged, storage.unavailable if the file can't be read
   */
  read(collectionNumber: number, name: CollectionName, id: string): StoredText | null {
    const row = this.find(collectionNumber, id);
    return row === undefined ? null : intact(name, id, row);
  }

  /**
   * The documents of a range of row numbers, in the order of these. A document has a new number, the highest one, after
   * each change.
   * @returns no more than about `maxDocuments` and `maxChars`
   * @throws storage.corrupt if a row is damaged, storage.unavailable if the file can't be read
   */
  page(
    collectionNumber: number,
    name: CollectionName,
    { after, until, maxDocuments, maxChars }: PageRequest,
  ): DocumentPage {
    const documents: StoredText[] = [];
    let [last, chars] = [after, 0];
    return reading({ documents: [], last }, () => {
      const statement = this.database.prepare(
        `SELECT n, id, v, c, j FROM docs_${collectionNumber} WHERE n > ? AND n <= ? ORDER BY n LIMIT ${PAGE_ROWS}`,
      );
      while (documents.length < maxDocuments && chars < maxChars) {
        const rows = statement.all(last, until);
        for (const row of rows) {
          const stored = String(row['j']);
          documents.push(intact(name, String(row['id']), [Number(row['v']), Number(row['c']), stored]));
          last = Number(row['n']);
          chars += stored.length;
        }
        if (rows.length < PAGE_ROWS) break;
      }
      return { documents, last };
    });
  }

  /** The highest row number; 0 if there are no documents. @throws storage.unavailable if the file can't be read */
  lastRow(collectionNumber: number): number {
    return reading(0, () => {
      const row = this.database.prepare(`SELECT max(n) AS last FROM docs_${collectionNumber}`).get();
      return Number(row?.['last'] ?? 0);
    });
  }

  /** @throws storage.unavailable if the file can't be read */
  isEmpty(collectionNumber: number): boolean {
    const sql = `SELECT 1 FROM docs_${collectionNumber} LIMIT 1`;
    return reading(false, () => this.database.prepare(sql).get() === undefined);
  }

  /** @throws storage.unavailable if the store does not respond */
  ping(): void {
    try {
      this.database.prepare(`SELECT value FROM meta WHERE key = 'format'`).get();
    } catch (error) {
      throw storageErrors.unavailable({ reason: reasonOf(error) }, { cause: error });
    }
  }

  /** Call it before the callers of a commit are answered. */
  committed(): void {
    this.snapshot.end();
  }

  /** The collection is gone. */
  forget(collectionNumber: number): void {
    this.statements.delete(collectionNumber);
  }

  close(): void {
    this.statements.clear();
    this.snapshot.forget();
    this.database.close();
  }

  private find(collectionNumber: number, id: string): PointRow | undefined {
    // Not by `reading`: this is the path of every point read.
    try {
      this.snapshot.use();
      return this.statementOf(collectionNumber).get(id) as unknown as PointRow | undefined;
    } catch (error) {
      // A deletion was committed, but its response has not been read here yet.
      if (isMissingTable(error)) return undefined;
      throw storageErrors.unavailable({ reason: reasonOf(error) }, { cause: error });
    }
  }

  private statementOf(collectionNumber: number): SqliteStatement {
    const known = this.statements.get(collectionNumber);
    if (known !== undefined) return known;
    const [oldest] = this.statements.keys();
    if (this.statements.size >= MAX_STATEMENTS && oldest !== undefined) this.statements.delete(oldest);
    const statement = this.database.prepare(`SELECT v, c, j FROM docs_${collectionNumber} WHERE id = ?`);
    statement.setReturnArrays(true);
    this.statements.set(collectionNumber, statement);
    return statement;
  }
}

/** What `read` gives; `whenMissing` if the table is gone. @throws storage.unavailable */
function reading<T>(whenMissing: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (isMissingTable(error)) return whenMissing;
    if (error instanceof MillraceError) throw error;
    throw storageErrors.unavailable({ reason: reasonOf(error) }, { cause: error });
  }
}

/** @throws storage.corrupt */
function intact(name: CollectionName, id: string, [version, checksum, stored]: PointRow): StoredText {
  const found = readDocumentRow(id, version, checksum, stored);
  if (found !== undefined) return found;
  throw storageErrors.corrupt({ index: name.index, collection: name.collection, id });
}
