import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { SqliteDatabase } from './SqliteDatabase.js';

/** The part of `node:sqlite` that this package uses. */
interface SqliteDriver {
  readonly DatabaseSync: new (
    file: string,
    options: { readonly readOnly: boolean; readonly timeout: number },
  ) => SqliteDatabase;
}

/**
 * Loads SQLite: `node:sqlite` from Node.js 24 on, where its interface is stable, otherwise the prebuilt module in this
 * package.
 * @throws Error on a platform that has neither
 */
function loadDriver(): SqliteDriver {
  const require = createRequire(import.meta.url);
  const file = driverFile();
  if (file === 'node:sqlite' || existsSync(file)) return require(file) as SqliteDriver;
  throw new Error(
    `there is no SQLite for ${process.platform} ${process.arch} before Node.js 24: use Node.js 24 or later`,
  );
}

/** The module to load: `node:sqlite`, or the path of a native module. `scripts/bundle.mjs` copies the modules there. */
export function driverFile(): string {
  if (Number.parseInt(process.versions.node, 10) >= 24) return 'node:sqlite';
  const libc = existsSync('/etc/alpine-release') ? 'musl' : 'glibc';
  const name = `../prebuilds/${process.platform}-${process.arch}/sqlite.${libc}.node`;
  return fileURLToPath(new URL(name, import.meta.url));
}

/** Options of a connection. */
interface OpenOptions {
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
