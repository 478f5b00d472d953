import type { SqliteDatabase, SqliteStatement } from './SqliteDatabase.js';

/*
 * Half the time of a point read is spent in two system calls that lock and unlock the file, and after each commit
 * SQLite reads its pages again, once per snapshot. So reads share a snapshot, from the second one on, until the event
 * loop has handled what had arrived: 32 requests on 32 connections take one lock.
 *
 * The shared snapshot never returns outdated data: it ends before the callers of a commit are answered (`end`). A
 * snapshot held for longer than a turn of the loop would keep SQLite from emptying the log.
 */
export class TurnSnapshot {
  private readonly beginning: SqliteStatement;
  private readonly ending: SqliteStatement;
  private readsOfTurn = 0;
  private isHeld = false;
  /** Ending the transaction failed: nothing may be read from this snapshot any more. */
  private isStuck = false;

  constructor(private readonly database: SqliteDatabase) {
    this.beginning = database.prepare('BEGIN');
    this.ending = database.prepare('COMMIT');
  }

  /** Call it before each read. @throws the errors of SQLite; the next call tries again */
  use(): void {
    if (this.isStuck) this.release();
    this.readsOfTurn++;
    if (this.readsOfTurn === 1) setImmediate(this.endTurn);
    else if (!this.isHeld) {
      this.beginning.run();
      this.isHeld = true;
    }
  }

  /** Call it before closing the database, which ends the transaction. */
  forget(): void {
    this.isHeld = false;
  }

  /** Something was committed whose callers are about to be answered: later reads see it. */
  end(): void {
    if (!this.isHeld) return;
    try {
      this.release();
    } catch {
      // The next reader gets the error.
      this.isStuck = true;
    }
  }

  private readonly endTurn = (): void => {
    this.readsOfTurn = 0;
    this.end();
  };

  private release(): void {
    // SQLite ends the transaction itself when it finds a damaged file.
    if (this.database.isTransaction) this.ending.run();
    this.isHeld = false;
    this.isStuck = false;
  }
}
