import { chmodSync, lstatSync, readdirSync, statSync, type Stats } from 'node:fs';
import { join } from 'node:path';

/*
 * `chmod` follows symbolic links, so each folder is closed before its entries are examined: from then on no other user
 * can replace an entry by a link. Files are not opened: closing a descriptor would drop the locks that SQLite holds on
 * the same file.
 */

/** Permissions of group and others. */
const OF_OTHERS = 0o077;

/** What was done to permissions of other users. */
export interface DeniedAccess {
  /** Number of files and folders from which they were removed. */
  closed: number;
  /** Why they could not be removed from the first of the others; undefined if there are none. */
  refused: string | undefined;
}

/**
 * Removes the permissions of group and others from a folder and its files, which earlier versions, or an operator, left
 * open. Symbolic links in it, and files of another owner, are not changed. Changes nothing on Windows, where folders
 * inherit the permissions of their parents.
 * @param isOurs whether an entry of the folder is included, with all that it holds
 */
export function denyOthers(folder: string, isOurs: (name: string) => boolean = () => true): DeniedAccess {
  const userId = process.getuid?.();
  const outcome: DeniedAccess = { closed: 0, refused: undefined };
  if (userId === undefined) return outcome;
  // The folder itself may be a symbolic link.
  close(folder, statSync(folder), userId, outcome);
  for (const name of entriesOf(folder)) if (isOurs(name)) closeEntry(join(folder, name), userId, outcome);
  return outcome;
}

function closeEntry(path: string, userId: number, outcome: DeniedAccess): void {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry === undefined) return;
  if (entry.isFile()) close(path, entry, userId, outcome);
  else if (entry.isDirectory()) {
    close(path, entry, userId, outcome);
    for (const name of entriesOf(path)) closeEntry(join(path, name), userId, outcome);
  }
}

function close(path: string, { mode, uid }: Stats, userId: number, outcome: DeniedAccess): void {
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
    outcome.refused ??= error instanceof Error ? error.message : String(error);
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
