import { closeSync, openSync } from 'node:fs';

/** Mode of files that only the user running Millrace may read and write. */
export const PRIVATE_FILE_MODE = 0o600;

/**
 * Creates an empty file that only its owner can read, unless it exists. SQLite treats an empty file as a new database,
 * and gives the `-wal` and `-shm` files the mode of the database (https://sqlite.org/src/file/src/os_unix.c,
 * findCreateFileMode).
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', PRIVATE_FILE_MODE));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
