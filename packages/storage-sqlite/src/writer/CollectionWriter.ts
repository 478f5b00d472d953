import { rowChecksum } from '../rowChecksum.js';
import { isTooBig } from '../sqliteFailure.js';
import { joinStored, PACKED_METADATA_SQL, packChange } from '../storedText.js';
import type { SqliteDatabase, SqliteStatement } from '../SqliteDatabase.js';
import type { Numbers } from './CollectionNumbers.js';
import { CONDITION, WRITE_CODE, type WriteCode } from './WriteCode.js';
import type { CollectionUse } from './WriterEntry.js';
import type { SentOperation } from './WriterThread.js';

/** One operation as the writer receives it. */
type CollectionOperation = Omit<SentOperation, 'k'>;

/** Writes the documents of one collection inside the writer's transaction: decides existence and version. */
export class CollectionWriter {
  /** The version for the last code: the new one, or the actual one of a conflict. */
  version = 0;
  /** The metadata of the last document found, in stored form; after a replacement, the new metadata. */
  packed = '';

  private readonly insert: SqliteStatement;
  private readonly find: SqliteStatement;
  private readonly replace: SqliteStatement;
  private readonly remove: SqliteStatement;
  private readonly addTombstone: SqliteStatement;
  private readonly retain: SqliteStatement;

  constructor(
    database: SqliteDatabase,
    k: number,
    private readonly numbers: Numbers,
    private readonly use: () => CollectionUse | undefined,
  ) {
    this.insert = database.prepare(
      `INSERT INTO docs_${k}(n, id, v, c, j) VALUES(?, ?, ?, ?, ?) ON CONFLICT(id) DO NOTHING`,
    );
    this.find = database.prepare(`SELECT n, v, ${PACKED_METADATA_SQL} FROM docs_${k} WHERE id = ?`);
    this.find.setReturnArrays(true);
    this.replace = database.prepare(`UPDATE docs_${k} SET n = ?, v = ?, c = ?, j = ? WHERE n = ?`);
    this.remove = database.prepare(`DELETE FROM docs_${k} WHERE n = ?`);
    this.addTombstone = database.prepare(`INSERT INTO gone_${k}(s, n) VALUES(?, ?)`);
    this.retain = database.prepare(
      `INSERT OR REPLACE INTO old_${k}(n, id, v, c, j) SELECT n, id, v, c, j FROM docs_${k} WHERE n = ?`,
    );
  }

  apply(operation: CollectionOperation): WriteCode {
    const { id, json, condition, stamp } = operation;
    try {
      return json === null ? this.delete(id, condition) : this.put(id, json, condition, stamp);
    } catch (error) {
      // This failure occurs before SQLite changes anything; any other one ends the transaction.
      if (isTooBig(error)) return WRITE_CODE.tooBig;
      throw error;
    }
  }

  private put(id: string, json: string, condition: number, stamp: string): WriteCode {
    if (condition === CONDITION.any || condition === CONDITION.absent) {
      const stored = joinStored(stamp, json);
      // Insert first: most writes of this kind are creations, and the unique index detects the others.
      const inserted = this.insert.run(
        this.numbers.n + 1,
        id,
        1,
        rowChecksum(1, id, stored),
        stored,
      );
      if (Number(inserted.changes) === 1) {
        this.numbers.n += 1;
        this.version = 1;
        return WRITE_CODE.created;
      }
      if (condition === CONDITION.absent) return WRITE_CODE.alreadyExists;
    }
    const n = this.locate(id);
    if (n === undefined) return WRITE_CODE.notFound;
    if (!this.holds(condition)) return WRITE_CODE.versionConflict;
    this.bury(n);
    this.numbers.n += 1;
    this.version += 1;
    if (stamp !== '') this.packed = packChange(this.packed, stamp);
    const stored = joinStored(this.packed, json);
    const { version } = this;
    this.replace.run(this.numbers.n, version, rowChecksum(version, id, stored), stored, n);
    return WRITE_CODE.replaced;
  }

  private delete(id: string, condition: number): WriteCode {
    const n = this.locate(id);
    if (n === undefined) return WRITE_CODE.notFound;
    if (!this.holds(condition)) return WRITE_CODE.versionConflict;
    this.bury(n);
    this.remove.run(n);
    return WRITE_CODE.deleted;
  }

  /** Finds the row of a document and sets `version` and `packed` from it. */
  private locate(id: string): number | undefined {
    // With return arrays on, a row is an array of columns.
    const row = this.find.get(id) as unknown as readonly [number, number, string] | undefined;
    if (row === undefined) return undefined;
    this.version = row[1];
    this.packed = row[2];
    return row[0];
  }

  private holds(condition: number): boolean {
    return (
      condition === CONDITION.any || condition === CONDITION.present || condition === this.version
    );
  }

  /** Keeps the data that readers need of a row that is about to be deleted. */
  private bury(n: number): void {
    const use = this.use();
    if (use === undefined) return;
    if (use.retained) this.retain.run(n);
    if (use.tombstones) {
      this.numbers.s += 1;
      this.addTombstone.run(this.numbers.s, n);
    }
  }
}
