import type { SqliteDatabase, SqliteStatement } from './SqliteDatabase.js';

/*
 * Half of what a point read costs is two system calls that lock and unlock the file, one snapshot for each read. So reads of
 * one turn of the event loop share a snapshot, from the second one on: 32 requests that came in one packet take one lock.
 *
 * Nothing gets old by that: whatever the writer thread has committed since is answered by a message, which is taken in a
 * turn of its own, and `nextTick` callbacks run before any other turn. A snapshot held longer would also keep the log from
 * being emptied.
 */
export class TurnSnapshot {
  private readonly begin: SqliteStatement;
  private readonly end: SqliteStatement;
  private readsOfTurn = 0;
  private isHeld = false;
  /** Its end has failed: nothing may be read from it any more. */
  private isStuck = false;

  constructor(private readonly database: SqliteDatabase) {
    this.begin = database.prepare('BEGIN');
    this.end = database.prepare('COMMIT');
  }

  /** To be called before each read. @throws what SQLite throws; the next call tries again */
  use(): void {
    if (this.isStuck) this.release();
    this.readsOfTurn++;
    if (this.readsOfTurn === 1) process.nextTick(this.endTurn);
    else if (!this.isHeld) {
      this.begin.run();
      this.isHeld = true;
    }
  }

  /** To be called before the database is closed, which ends it. */
  forget(): void {
    this.isHeld = false;
  }

  private readonly endTurn = (): void => {
    this.readsOfTurn = 0;
    if (!this.isHeld) return;
    try {
      this.release();
    } catch {
      // Whoever reads next gets the error.
      this.isStuck = true;
    }
  };

  private release(): void {
    // SQLite has ended it by itself where it met a damaged file.
    if (this.database.isTransaction) this.end.run();
    this.isHeld = false;
    this.isStuck = false;
  }
}
