import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { DATABASE_NAME } from '@millrace/storage-sqlite';

/**
 * Why a folder has no data that can be read; undefined if it has. Opening a missing database would create it.
 * @param dataDir absolute
 */
export function missingData(dataDir: string): string | undefined {
  try {
    accessSync(join(dataDir, DATABASE_NAME), constants.R_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'EACCES'
      ? `"${dataDir}" can't be read by this user: run the command as the user of the server`
      : `"${dataDir}" has no database: expected a data folder (server.dataDir)`;
  }
}
