import { chmodSync, lstatSync, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Logger } from '@millrace/kernel';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const OTHERS = 0o077;

/**
 * Creates a folder that only its owner can read. If it exists, removes other users' permissions from it and its files,
 * with one log line. Files of another owner and symbolic links in it are not changed. Doesn't change permissions on
 * Windows.
 * @throws if the folder can't be created
 */
export function ownerOnlyFolder(path: string, logger: Logger): void {
  makeFolder(path);
  if (process.platform === 'win32') return;
  // The folder itself may be a link: operators may place data on other disks.
  const folder = realpathSync(path);
  let mendedCount = mend(folder, FOLDER_MODE) ? 1 : 0;
  for (const name of readdirSync(folder)) if (mend(join(folder, name), FILE_MODE)) mendedCount++;
  if (mendedCount > 0) {
    logger.warn(
      { folder, mendedCount },
      `memory store: other users could read "${folder}"; only its owner can from now on`,
    );
  }
}

/** Not with `recursive`: in Node 20 that never returns below /proc. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: FOLDER_MODE });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const parent = dirname(path);
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    if (code !== 'ENOENT' || parent === path || isThere(parent)) throw error;
    makeFolder(parent);
    mkdirSync(path, { mode: FOLDER_MODE });
  }
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** @returns true if permissions of other users were removed */
function mend(path: string, mode: number): boolean {
  const stats = lstatSync(path);
  const isOurs = stats.uid === process.getuid?.();
  if (!isOurs || !(stats.isFile() || stats.isDirectory()) || (stats.mode & OTHERS) === 0) return false;
  chmodSync(path, mode);
  return true;
}
