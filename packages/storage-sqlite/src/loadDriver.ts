import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { SqliteDatabase } from './SqliteDatabase.js';

/** The part of `node:sqlite` that this package uses. */
export interface SqliteDriver {
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
export function loadDriver(): SqliteDriver {
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
