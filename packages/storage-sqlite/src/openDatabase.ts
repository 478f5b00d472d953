import { loadDriver } from './loadDriver.js';
import type { SqliteDatabase } from './SqliteDatabase.js';

/** How to open a database. */
export interface OpenOptions {
  /** Default false. A read-only connection needs a writing one that opened the database before. */
  readonly readOnly?: boolean;
  /** How long a locked database is waited for, in milliseconds. Default 5,000. */
  readonly busyTimeoutMs?: number;
}

let driver: ReturnType<typeof loadDriver> | undefined;

/** Opens a connection, which belongs to the thread that opened it. Sets nothing: see `openWriter`. */
export function openDatabase(file: string, options: OpenOptions = {}): SqliteDatabase {
  driver ??= loadDriver();
  return new driver.DatabaseSync(file, {
    readOnly: options.readOnly ?? false,
    timeout: options.busyTimeoutMs ?? 5_000,
  });
}
