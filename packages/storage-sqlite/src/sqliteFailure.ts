/** Primary result codes of SQLite that are told apart (https://sqlite.org/rescode.html). */
const BUSY = 5;
const READ_ONLY = 8;
const IO_ERROR = 10;
const CORRUPT = 11;
const FULL = 13;
const TOO_BIG = 18;

function primaryCode(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const code: unknown = 'errcode' in error ? error.errcode : undefined;
  // Extended codes keep the primary one in the low byte.
  return typeof code === 'number' ? code & 0xff : undefined;
}

/** True when another connection holds the lock that was asked for. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === BUSY;
}

/** True when the disk, or the size a file may have, could be used up. */
export function isOutOfRoom(error: unknown): boolean {
  const code = primaryCode(error);
  return code === FULL || code === IO_ERROR;
}

/** True when a value is longer than SQLite takes. */
export function isTooBig(error: unknown): boolean {
  return primaryCode(error) === TOO_BIG;
}

/** True when the table went between two statements (its collection was deleted). */
export function isMissingTable(error: unknown): boolean {
  return error instanceof Error && error.message.includes('no such table');
}

/** Why a write failed, for health: no path, no name, nothing of the document. */
export function writeFailureOf(error: unknown): string {
  switch (primaryCode(error)) {
    case FULL:
      return 'writes fail: no space left on the device';
    case IO_ERROR:
      return 'writes fail: the device reports an input or output error';
    case READ_ONLY:
      return 'writes fail: the database is read-only';
    case CORRUPT:
      return 'writes fail: the database file is damaged';
    default:
      return 'writes fail';
  }
}

/** The text of a failure, for people: never a stack. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
