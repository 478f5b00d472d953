import type { SqliteDatabase, SqliteStatement } from './SqliteDatabase.js';

/*
 * Half the time of a point read is spent in two system calls that lock and unlock the file, for one snapshot per read.
 * So reads in one turn of the event loop share a snapshot, from the second one on: 32 requests that arrived in one
 * packet take one lock.
 *
 * The shared snapshot never returns outdated data: the writer thread's commits are acknowledged by messages, which are
 * handled in a later turn, and `nextTick` callbacks run before any other turn. A snapshot held longer would also keep
 * SQLite from emptying the log.
 */
export class TurnSnapshot {
  private readonly begin: SqliteStatement;
  private readonly end: SqliteStatement;
  private readsOfTurn = 0;
  private isHeld = false;
  /** Ending the transaction failed: nothing may be read from this snapshot any more. */
  private isStuck = false;

  constructor(private readonly database: SqliteDatabase) {
    this.begin = database.prepare('BEGIN');
    this.end = database.prepare('COMMIT');
  }

  /** Call it before each read. @throws the errors of SQLite; the next call tries again */
  use(): void {
    if (this.isStuck) this.release();
    this.readsOfTurn++;
    if (this.readsOfTurn === 1) process.nextTick(this.endTurn);
    else if (!this.isHeld) {
      this.begin.run();
      this.isHeld = true;
    }
  }

  /** Call it before closing the database, which ends the transaction. */
  forget(): void {
    this.isHeld = false;
  }

  private readonly endTurn = (): void => {
    this.readsOfTurn = 0;
    if (!this.isHeld) return;
    try {
      this.release();
    } catch {
      // The next reader gets the error.
      this.isStuck = true;
    }
  };

  private release(): void {
    // SQLite ends the transaction itself when it finds a damaged file.
    if (this.database.isTransaction) this.end.run();
    this.isHeld = false;
    this.isStuck = false;
  }
}
