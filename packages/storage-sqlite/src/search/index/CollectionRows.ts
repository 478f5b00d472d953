import type { DocumentRow, DocumentRows } from '@millrace/search';
import { rowChecksum, splitStored, writeMetadata } from '../../storedText.js';
import type { SqliteDatabase, SqliteStatement } from '../../SqliteDatabase.js';

/** A stored row whose checksum does not match. */
export class DamagedRow extends Error {
  constructor(readonly documentId: string) {
    super(`The row of the document "${documentId}" is damaged`);
    this.name = 'DamagedRow';
  }
}

/** A stored document with its packed metadata. */
export interface StoredRow extends DocumentRow {
  /** The metadata in stored form. */
  readonly packed: string;
}

type RowColumns = readonly [rowNumber: number, id: string, version: number, checksum: number, stored: string];

/** Reads the rows of one collection on the search thread's connection. */
export class CollectionRows implements DocumentRows<StoredRow> {
  private readonly nextRows: SqliteStatement;
  private readonly rowsBetween: SqliteStatement;
  private readonly row: SqliteStatement;
  private readonly oldRow: SqliteStatement;
  private readonly rowOfId: SqliteStatement;
  private readonly idsOfRows: SqliteStatement;
  private readonly tombstones: SqliteStatement;
  private readonly head: SqliteStatement;
  private readonly mappingText: SqliteStatement;
  private lastMetadata: { readonly packed: string; readonly json: string } | undefined;

  constructor(
    database: SqliteDatabase,
    readonly collectionNumber: number,
  ) {
    const columns = 'n, id, v, c, j';
    const prepare = (sql: string) => {
      const statement = database.prepare(sql);
      statement.setReturnArrays(true);
      return statement;
    };
    this.nextRows = prepare(`SELECT ${columns} FROM docs_${collectionNumber} WHERE n > ? ORDER BY n LIMIT ?`);
    this.rowsBetween = prepare(`SELECT ${columns} FROM docs_${collectionNumber} WHERE n BETWEEN ? AND ?`);
    this.row = prepare(`SELECT ${columns} FROM docs_${collectionNumber} WHERE n = ?`);
    this.oldRow = prepare(`SELECT ${columns} FROM old_${collectionNumber} WHERE n = ?`);
    this.rowOfId = prepare(`SELECT n FROM docs_${collectionNumber} WHERE id = ?`);
    this.idsOfRows = prepare(`SELECT n, id FROM docs_${collectionNumber} WHERE n > ? ORDER BY n LIMIT ?`);
    this.tombstones = prepare(`SELECT s, n FROM gone_${collectionNumber} WHERE s > ? ORDER BY s LIMIT ?`);
    this.head = prepare('SELECT mapping_version, index_name, name FROM collections WHERE k = ?');
    this.mappingText = prepare('SELECT mapping FROM collections WHERE k = ?');
  }

  /** The collection's name and mapping version; undefined if the catalog no longer has it. */
  readHead(): { readonly version: number; readonly index: string; readonly collection: string } | undefined {
    const row = this.head.get(this.collectionNumber) as unknown as readonly [number, string, string] | undefined;
    return row && { version: row[0], index: row[1], collection: row[2] };
  }

  /** The collection's name as shown in hits; empty if it is gone. */
  readName(): { readonly index: string; readonly collection: string } {
    const { index = '', collection = '' } = this.readHead() ?? {};
    return { index, collection };
  }

  readMapping(): string {
    const row = this.mappingText.get(this.collectionNumber) as unknown as readonly [string] | undefined;
    if (row === undefined) throw new Error(`Collection ${this.collectionNumber} is gone`);
    return row[0];
  }

  /** The next rows after this one. @throws DamagedRow */
  readAfter(rowNumber: number, limit: number): StoredRow[] {
    return (this.nextRows.all(rowNumber, limit) as unknown as readonly RowColumns[]).map(toRow);
  }

  /** Reads the rows of a range, bounds included. @returns a function that gets each row; it throws DamagedRow */
  readBetween(first: number, last: number): (rowNumber: number) => StoredRow | undefined {
    const rows = this.rowsBetween.all(first, last) as unknown as readonly RowColumns[];
    const rowOf = new Map(rows.map((row) => [row[0], row]));
    return (rowNumber) => {
      const row = rowOf.get(rowNumber);
      return row && toRow(row);
    };
  }

  /** @param isFrozen true: also finds retained rows that were deleted since @throws DamagedRow */
  read(rowNumber: number, isFrozen: boolean): StoredRow | undefined {
    const row =
      (this.row.get(rowNumber) as unknown as RowColumns | undefined) ??
      (isFrozen ? (this.oldRow.get(rowNumber) as unknown as RowColumns | undefined) : undefined);
    return row && toRow(row);
  }

  metadataOf({ packed }: StoredRow): string {
    // Documents that were imported together have the same.
    if (packed !== this.lastMetadata?.packed) {
      this.lastMetadata = { packed, json: writeMetadata(packed) };
    }
    return this.lastMetadata.json;
  }

  /** The row number of a document by its id. */
  findRow(id: string): number | undefined {
    return (this.rowOfId.get(id) as unknown as readonly [number] | undefined)?.[0];
  }

  readIdsAfter(rowNumber: number, limit: number): (readonly [rowNumber: number, id: string])[] {
    return this.idsOfRows.all(rowNumber, limit) as unknown as (readonly [number, string])[];
  }

  /** The rows that were deleted, in order. */
  readTombstonesAfter(
    tombstoneNumber: number,
    limit: number,
  ): (readonly [tombstoneNumber: number, rowNumber: number])[] {
    return this.tombstones.all(tombstoneNumber, limit) as unknown as (readonly [number, number])[];
  }
}

function toRow([rowNumber, id, version, checksum, stored]: RowColumns): StoredRow {
  if (rowChecksum(version, id, stored) !== checksum) throw new DamagedRow(id);
  return { rowNumber, id, version, ...splitStored(stored) };
}
