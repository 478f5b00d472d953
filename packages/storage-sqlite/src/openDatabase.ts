import { loadDriver } from './loadDriver.js';
import type { SqliteDatabase } from './SqliteDatabase.js';

/** Options of a connection. */
export interface OpenOptions {
  /** Default false. A read-only connection requires that a writing connection has opened the database before. */
  readonly readOnly?: boolean;
  /** How long to wait for a locked database, in milliseconds. Default 5,000. */
  readonly busyTimeoutMs?: number;
}

let driver: ReturnType<typeof loadDriver> | undefined;

/** Opens a connection, which belongs to the thread that opened it. Sets no pragmas: see `openWriter`. */
export function openDatabase(file: string, options: OpenOptions = {}): SqliteDatabase {
  driver ??= loadDriver();
  return new driver.DatabaseSync(file, {
    readOnly: options.readOnly ?? false,
    timeout: options.busyTimeoutMs ?? 5_000,
  });
}

/** Uses a connection and closes it. */
export function withDatabase<T>(file: string, options: OpenOptions, use: (database: SqliteDatabase) => T): T {
  const database = openDatabase(file, options);
  try {
    return use(database);
  } finally {
    database.close();
  }
}
