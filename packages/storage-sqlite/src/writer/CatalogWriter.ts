import type { CollectionName } from '@millrace/kernel';
import { collectionChecksum, indexChecksum, readCollectionRows, type CollectionRow } from '../schema/catalogTables.js';
import { createCollectionTables } from '../schema/collectionTables.js';
import type { SqliteDatabase, SqliteStatement } from '../SqliteDatabase.js';

type NewCollectionRow = Omit<CollectionRow, 'collectionNumber'>;

/** Changes the catalog inside the writer's transaction. The store drops the tables of removed collections later. */
export class CatalogWriter {
  private readonly hasIndexRow: SqliteStatement;
  private readonly putIndexRow: SqliteStatement;
  private readonly removeIndexRow: SqliteStatement;
  private readonly addCollectionRow: SqliteStatement;
  private readonly checkCollectionRow: SqliteStatement;
  private readonly findCollectionRow: SqliteStatement;
  private readonly removeCollectionRow: SqliteStatement;
  private readonly updateMappingRow: SqliteStatement;

  constructor(private readonly database: SqliteDatabase) {
    this.hasIndexRow = database.prepare('SELECT 1 FROM indexes WHERE name = ?');
    this.putIndexRow = database.prepare(
      `INSERT INTO indexes(name, auto_refresh, c) VALUES(?, ?, ?)
       ON CONFLICT(name) DO UPDATE SET auto_refresh = excluded.auto_refresh, c = excluded.c`,
    );
    this.removeIndexRow = database.prepare('DELETE FROM indexes WHERE name = ?');
    this.addCollectionRow = database.prepare(
      'INSERT INTO collections(index_name, name, mapping, mapping_version, c) VALUES(?, ?, ?, ?, 0) RETURNING k',
    );
    this.checkCollectionRow = database.prepare('UPDATE collections SET c = ? WHERE k = ?');
    this.findCollectionRow = database.prepare('SELECT k FROM collections WHERE index_name = ? AND name = ?');
    this.removeCollectionRow = database.prepare('DELETE FROM collections WHERE k = ?');
    this.updateMappingRow = database.prepare(
      'UPDATE collections SET mapping = ?, mapping_version = ?, c = ? WHERE k = ?',
    );
  }

  hasIndex(index: string): boolean {
    return this.hasIndexRow.get(index) !== undefined;
  }

  /** Creates the index, or changes its settings. */
  putIndex(index: string, autoRefresh: boolean): void {
    const checksum = indexChecksum({ name: index, autoRefresh });
    this.putIndexRow.run(index, autoRefresh ? 1 : 0, checksum);
  }

  /** The numbers of the collections of an index. */
  collectionsOf(index: string): number[] {
    return this.database
      .prepare('SELECT k FROM collections WHERE index_name = ?')
      .all(index)
      .map((row) => Number(row['k']));
  }

  /** @returns the numbers of the collections removed with it */
  removeIndex(index: string): number[] {
    const collectionNumbers = this.collectionsOf(index);
    for (const collectionNumber of collectionNumbers) this.removeCollectionRow.run(collectionNumber);
    this.removeIndexRow.run(index);
    return collectionNumbers;
  }

  findCollection(index: string, collection: string): number | undefined {
    const row = this.findCollectionRow.get(index, collection);
    return row === undefined ? undefined : Number(row['k']);
  }

  /** @returns the number of the new collection */
  addCollection(row: NewCollectionRow): number {
    const { index, collection, mapping, mappingVersion } = row;
    const added = this.addCollectionRow.get(index, collection, mapping, mappingVersion);
    const collectionNumber = Number(added?.['k']);
    // `c` covers `k`, which SQLite assigns.
    this.checkCollectionRow.run(collectionChecksum({ ...row, collectionNumber }), collectionNumber);
    createCollectionTables(this.database, collectionNumber);
    return collectionNumber;
  }

  removeCollection(collectionNumber: number): void {
    this.removeCollectionRow.run(collectionNumber);
  }

  /** Replaces this collection by an empty one with a new number. @returns the new number and the name */
  renewCollection(collectionNumber: number): { collectionNumber: number; name: CollectionName } {
    const row = this.read(collectionNumber);
    this.removeCollectionRow.run(collectionNumber);
    const { index, collection } = row;
    return { collectionNumber: this.addCollection(row), name: { index, collection } };
  }

  setMapping(collectionNumber: number, mapping: string, mappingVersion: number): void {
    const checksum = collectionChecksum({
      ...this.read(collectionNumber),
      mapping,
      mappingVersion,
    });
    this.updateMappingRow.run(mapping, mappingVersion, checksum, collectionNumber);
  }

  private read(collectionNumber: number): CollectionRow {
    const row = readCollectionRows(this.database, collectionNumber)[0];
    if (row === undefined) throw new Error(`collection number ${collectionNumber} is not in the catalog`);
    return row;
  }
}
