import { chmodSync, lstatSync, readdirSync, statSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '@millrace/kernel';
import { reasonOf } from '../sqliteFailure.js';

/*
 * Removes other users' access to a data directory that earlier versions, or an operator, left open: it contains
 * password hashes, secrets and every document. Only permissions of group and others are removed, and only from the
 * directory and the engine's files in it (`millrace.*`): a data directory may be a folder with other content, such as
 * the current folder of a project.
 *
 * `chmod` follows symbolic links, so each folder is closed before its entries are examined: from then on no other user
 * can replace an entry by a link. Files are not opened: closing a descriptor would drop the locks that SQLite holds on
 * the same file.
 */

/** Permissions of group and others. */
const OF_OTHERS = 0o077;

const OWN_ENTRY = /^millrace\./;

interface Outcome {
  closed: number;
  refused: string | undefined;
}

/** Logs one warning if there was access to remove: it was removed, or could not be. */
export function closeToOthers(dataDir: string, log: Logger): void {
  const userId = process.getuid?.();
  // Windows has no such permissions: folders inherit those of their parents.
  if (userId === undefined) return;
  const outcome: Outcome = { closed: 0, refused: undefined };
  // The directory itself may be a symbolic link.
  close(dataDir, statSync(dataDir), userId, outcome);
  for (const name of entriesOf(dataDir)) {
    if (OWN_ENTRY.test(name)) closeEntry(join(dataDir, name), userId, outcome);
  }
  const { closed, refused } = outcome;
  if (refused !== undefined) {
    log.warn(
      { dataDir, reason: refused },
      'the data directory is open to other users of this machine and its permissions could not be changed: make it readable by Millrace alone (0700, files 0600)',
    );
  } else if (closed > 0) {
    log.warn(
      { dataDir, closed },
      'the data directory was open to other users of this machine: permissions of group and others are removed',
    );
  }
}

function closeEntry(path: string, userId: number, outcome: Outcome): void {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry === undefined) return;
  if (entry.isFile()) close(path, entry, userId, outcome);
  else if (entry.isDirectory()) {
    close(path, entry, userId, outcome);
    for (const name of entriesOf(path)) closeEntry(join(path, name), userId, outcome);
  }
}

function close(path: string, { mode, uid }: Stats, userId: number, outcome: Outcome): void {
  if ((mode & OF_OTHERS) === 0) return;
  if (uid !== userId) {
    outcome.refused ??= `"${path}" belongs to another user (${uid})`;
    return;
  }
  try {
    chmodSync(path, mode & 0o777 & ~OF_OTHERS);
    // Some file systems accept the call but store no permissions.
    if ((statSync(path).mode & OF_OTHERS) === 0) outcome.closed += 1;
    else outcome.refused ??= `the file system of "${path}" keeps no permissions`;
  } catch (error) {
    outcome.refused ??= reasonOf(error);
  }
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Not readable: then it can't be used either, and the start reports that.
    return [];
  }
}
