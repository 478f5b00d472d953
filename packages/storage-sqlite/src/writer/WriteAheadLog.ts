import { statSync } from 'node:fs';
import type { SqliteDatabase } from '../SqliteDatabase.js';

/** Beyond this size it is restarted, although that waits for readers. */
const ALARM_BYTES = 256 * 1024 * 1024;

/** Longest wait for readers then, in milliseconds. */
const RESTART_WITHIN_MS = 200;

/** Moves SQLite's write-ahead log into the database file. */
export class WriteAheadLog {
  private hasContent = true;

  constructor(
    private readonly database: SqliteDatabase,
    private readonly databaseFile: string,
  ) {}

  /** Whether transactions were committed since it was emptied. */
  get isDirty(): boolean {
    return this.hasContent;
  }

  /** A transaction was committed. */
  written(): void {
    this.hasContent = true;
  }

  /**
   * Copies it into the file and empties it.
   * @returns whether it is empty: not if a reader still needs it, or the disk is full
   */
  empty(): boolean {
    this.hasContent = !this.checkpoint('TRUNCATE', 0);
    return !this.hasContent;
  }

  /** Overlapping readers keep it from being restarted; if it is large, this waits for them. */
  bound(): void {
    const size = statSync(`${this.databaseFile}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (size > ALARM_BYTES) this.checkpoint('RESTART', RESTART_WITHIN_MS);
  }

  /** @returns whether all of it was copied */
  private checkpoint(mode: 'TRUNCATE' | 'RESTART', maxWaitMs: number): boolean {
    try {
      this.database.exec(`PRAGMA busy_timeout = ${maxWaitMs}`);
      return this.database.prepare(`PRAGMA wal_checkpoint(${mode})`).get()?.['busy'] === 0;
    } catch {
      // A full disk: the log keeps acknowledged writes.
      return false;
    } finally {
      this.database.exec('PRAGMA busy_timeout = 5000');
    }
  }
}
