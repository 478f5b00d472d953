import { join, resolve } from 'node:path';
import { makePrivateDirectory, storageErrors } from '@millrace/kernel';
import { openDatabase } from '../openDatabase.js';
import { isBusy, reasonOf } from '../sqliteFailure.js';
import { makePrivateFile } from './makePrivateFile.js';

/** The file of the database, in a data folder and in a backup. */
export const DATABASE_NAME = 'millrace.db';

/** Releases a data directory. */
export type ReleaseDataDirectory = () => void;

/**
 * Creates the data directory if absent, without access for other users, and locks it for this engine by an exclusive
 * transaction on `millrace.lock`. The operating system releases the lock when the process ends, even after a crash.
 * Works between processes and between engines of one process.
 * @throws storage.unavailable naming the directory if it is in use or can't be written
 */
export function acquireDataDirectory(dataDir: string): ReleaseDataDirectory {
  const directory = resolve(dataDir);
  try {
    makePrivateDirectory(directory);
    const lockFile = join(directory, 'millrace.lock');
    makePrivateFile(lockFile);
    const lock = openDatabase(lockFile, { busyTimeoutMs: 0 });
    try {
      lock.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      lock.close();
      throw error;
    }
    return () => {
      lock.close();
    };
  } catch (error) {
    const reason = isBusy(error)
      ? `the data directory "${directory}" is in use by another Millrace; one directory serves one at a time`
      : `the data directory "${directory}" can't be used: ${reasonOf(error)}`;
    throw storageErrors.unavailable({ reason }, { cause: error });
  }
}
