import { createRequire } from 'node:module';
import type { SqliteDatabase } from './SqliteDatabase.js';

interface SqliteDriver {
  readonly DatabaseSync: new (
    file: string,
    options: { readonly readOnly: boolean; readonly timeout: number },
  ) => SqliteDatabase;
}

/** How to open a database. */
export interface OpenOptions {
  /** Default false. A read-only connection needs a writing one that opened the database before. */
  readonly readOnly?: boolean;
  /** How long a locked database is waited for, in milliseconds. Default 5,000. */
  readonly busyTimeoutMs?: number;
}

let driver: SqliteDriver | undefined;

// Built in and no longer changing from Node 24 on; before, the same interface comes prebuilt from npm.
function loadDriver(): SqliteDriver {
  const builtIn = Number.parseInt(process.versions.node, 10) >= 24;
  return createRequire(import.meta.url)(
    builtIn ? 'node:sqlite' : '@photostructure/sqlite',
  ) as SqliteDriver;
}

/** Opens a connection, which belongs to the thread that opened it. Sets nothing: see `openWriter`. */
export function openDatabase(file: string, options: OpenOptions = {}): SqliteDatabase {
  driver ??= loadDriver();
  return new driver.DatabaseSync(file, {
    readOnly: options.readOnly ?? false,
    timeout: options.busyTimeoutMs ?? 5_000,
  });
}
