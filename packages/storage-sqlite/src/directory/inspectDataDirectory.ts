import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { withDatabase } from '../openDatabase.js';
import { readFormat } from '../schema/catalogTables.js';
import { isBusy } from '../sqliteFailure.js';
import { acquireDataDirectory, DATABASE_NAME } from './acquireDataDirectory.js';

/**
 * The state of an existing data directory.
 * @returns `new`: it has no database yet
 * @throws Error if it can't be used, or if its database has a format that this version doesn't read
 */
export function inspectDataDirectory(dataDir: string): 'in use' | 'new' | 'ready' {
  let release;
  try {
    release = acquireDataDirectory(dataDir);
  } catch (error) {
    if (error instanceof Error && isBusy(error.cause)) return 'in use';
    throw error;
  }
  try {
    const file = join(dataDir, DATABASE_NAME);
    if (!existsSync(file)) return 'new';
    return withDatabase(file, {}, (database) => {
      readFormat(database);
      return 'ready';
    });
  } finally {
    release();
  }
}
