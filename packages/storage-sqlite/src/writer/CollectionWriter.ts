import { rowChecksum, joinStored, PACKED_METADATA_SQL, packChange } from '../storedText.js';
import { isTooBig } from '../sqliteFailure.js';
import type { SqliteDatabase, SqliteStatement } from '../SqliteDatabase.js';
import { ChangeRecorder, ROW_BYTES } from './ChangeRecorder.js';
import { LOG_KIND } from '../schema/changeLogTables.js';
import type { Numbers } from './CollectionNumbers.js';
import { CONDITION, WRITE_CODE, type WriteCode } from './WriteCode.js';
import type { CollectionUse } from './WriterEntry.js';
import type { SentOperation } from './WriterThread.js';

/** One operation as the writer receives it. */
type CollectionOperation = Omit<SentOperation, 'collectionNumber'>;

/** Writes the documents of one collection inside the writer's transaction: decides existence and version. */
export class CollectionWriter {
  /** The version for the last code: the new one, or the actual one of a conflict. */
  version = 0;
  /** The metadata of the last document found, in stored form; after a replacement, the new metadata. */
  packed = '';
  /** The position of the last change in the change log; 0 if it is not recorded. */
  seq = 0;

  /** Size of the last document found, in bytes. */
  private bytes = 0;
  private copyToLog: SqliteStatement | undefined;
  private readonly insert: SqliteStatement;
  private readonly find: SqliteStatement;
  private readonly replace: SqliteStatement;
  private readonly remove: SqliteStatement;
  private readonly addTombstone: SqliteStatement;
  private readonly retain: SqliteStatement;

  constructor(
    private readonly database: SqliteDatabase,
    private readonly collectionNumber: number,
    private readonly numbers: Numbers,
    private readonly recorder: ChangeRecorder,
    private readonly use: () => CollectionUse | undefined,
  ) {
    this.insert = database.prepare(
      `INSERT INTO docs_${collectionNumber}(n, id, v, c, j) VALUES(?, ?, ?, ?, ?) ON CONFLICT(id) DO NOTHING`,
    );
    this.find = database.prepare(
      `SELECT n, v, ${PACKED_METADATA_SQL}, octet_length(j) FROM docs_${collectionNumber} WHERE id = ?`,
    );
    this.find.setReturnArrays(true);
    this.replace = database.prepare(`UPDATE docs_${collectionNumber} SET n = ?, v = ?, c = ?, j = ? WHERE n = ?`);
    this.remove = database.prepare(`DELETE FROM docs_${collectionNumber} WHERE n = ?`);
    this.addTombstone = database.prepare(`INSERT INTO gone_${collectionNumber}(s, n) VALUES(?, ?)`);
    this.retain = database.prepare(
      `INSERT OR REPLACE INTO old_${collectionNumber}(n, id, v, c, j) SELECT n, id, v, c, j FROM docs_${collectionNumber} WHERE n = ?`,
    );
  }

  apply(operation: CollectionOperation): WriteCode {
    this.seq = 0;
    try {
      if (operation.json === null) return this.delete(operation);
      return operation.copied === undefined
        ? this.put(operation, operation.json)
        : this.copy(operation, operation.json, operation.copied);
    } catch (error) {
      // This failure occurs before SQLite changes the document; any other one ends the transaction.
      if (!isTooBig(error)) throw error;
      if (this.seq !== 0) this.recorder.undo(this.seq);
      this.seq = 0;
      return WRITE_CODE.tooBig;
    }
  }

  private put(operation: CollectionOperation, json: string): WriteCode {
    const { id, condition, stamp, origin } = operation;
    if (condition === CONDITION.any || condition === CONDITION.absent) {
      const stored = joinStored(stamp, json);
      // Insert first: most writes of this kind are creations, and the unique index detects the others.
      const inserted = this.insert.run(this.numbers.rowNumber + 1, id, 1, rowChecksum(1, id, stored), stored);
      if (Number(inserted.changes) === 1) {
        this.numbers.rowNumber += 1;
        this.version = 1;
        const cover = this.recorder.coverOf(this.collectionNumber);
        if (cover !== undefined) this.seq = this.recorder.create(cover, id, origin);
        return WRITE_CODE.created;
      }
      if (condition === CONDITION.absent) return WRITE_CODE.alreadyExists;
    }
    const rowNumber = this.locate(id);
    if (rowNumber === undefined) return WRITE_CODE.notFound;
    if (!this.holds(condition)) return WRITE_CODE.versionConflict;
    if (stamp !== '') this.packed = packChange(this.packed, stamp);
    return this.rewrite(rowNumber, operation, this.version + 1, joinStored(this.packed, json));
  }

  /** Stores a document with the version and metadata that it has in another engine. */
  private copy(operation: CollectionOperation, json: string, version: number): WriteCode {
    const { id, stamp, origin } = operation;
    const stored = joinStored(stamp, json);
    const rowNumber = this.locate(id);
    this.packed = stamp;
    if (rowNumber !== undefined) return this.rewrite(rowNumber, operation, version, stored);
    this.numbers.rowNumber += 1;
    this.insert.run(this.numbers.rowNumber, id, version, rowChecksum(version, id, stored), stored);
    this.version = version;
    const cover = this.recorder.coverOf(this.collectionNumber);
    if (cover !== undefined) this.seq = this.recorder.create(cover, id, origin);
    return WRITE_CODE.created;
  }

  private rewrite(rowNumber: number, operation: CollectionOperation, version: number, stored: string): WriteCode {
    this.bury(rowNumber);
    this.record(rowNumber, operation, LOG_KIND.replaced);
    this.numbers.rowNumber += 1;
    const checksum = rowChecksum(version, operation.id, stored);
    this.replace.run(this.numbers.rowNumber, version, checksum, stored, rowNumber);
    this.version = version;
    return WRITE_CODE.replaced;
  }

  private delete(operation: CollectionOperation): WriteCode {
    const rowNumber = this.locate(operation.id);
    if (rowNumber === undefined) return WRITE_CODE.notFound;
    if (!this.holds(operation.condition)) return WRITE_CODE.versionConflict;
    this.bury(rowNumber);
    this.record(rowNumber, operation, LOG_KIND.deleted);
    this.remove.run(rowNumber);
    return WRITE_CODE.deleted;
  }

  /** Finds the row of a document and sets `version` and `packed` from it. */
  private locate(id: string): number | undefined {
    // With return arrays on, a row is an array of columns.
    const row = this.find.get(id) as unknown as readonly [number, number, string, number] | undefined;
    if (row === undefined) return undefined;
    this.version = row[1];
    this.packed = row[2];
    this.bytes = row[3];
    return row[0];
  }

  private holds(condition: number): boolean {
    return condition === CONDITION.any || condition === CONDITION.present || condition === this.version;
  }

  /** Records the change that is about to be made to a row. */
  private record(rowNumber: number, { id, origin }: CollectionOperation, kind: number): void {
    const cover = this.recorder.coverOf(this.collectionNumber);
    if (cover === undefined) return;
    this.copyToLog ??= this.database.prepare(ChangeRecorder.copySql(this.collectionNumber));
    const bytes = this.bytes + ROW_BYTES + id.length;
    this.seq = this.recorder.before(cover, this.copyToLog, { rowNumber, kind, bytes, origin });
  }

  /** Keeps the data that readers need of a row that is about to be deleted. */
  private bury(rowNumber: number): void {
    const use = this.use();
    if (use === undefined) return;
    if (use.retained) this.retain.run(rowNumber);
    if (use.tombstones) {
      this.numbers.tombstoneNumber += 1;
      this.addTombstone.run(this.numbers.tombstoneNumber, rowNumber);
    }
  }
}
