/** Primary result codes of SQLite that need different handling (https://sqlite.org/rescode.html). */
const BUSY = 5;
const READ_ONLY = 8;
const IO_ERROR = 10;
const CORRUPT = 11;
const FULL = 13;
const TOO_BIG = 18;
const NOT_A_DATABASE = 26;

function primaryCode(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const code: unknown = 'errcode' in error ? error.errcode : undefined;
  // Extended codes keep the primary one in the low byte.
  return typeof code === 'number' ? code & 0xff : undefined;
}

/** True if another connection holds the requested lock. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === BUSY;
}

/** True if the file is no intact database. */
export function isDamaged(error: unknown): boolean {
  const code = primaryCode(error);
  return code === CORRUPT || code === NOT_A_DATABASE;
}

/** True if the disk may be full, or the file at its maximum size. */
export function isOutOfRoom(error: unknown): boolean {
  const code = primaryCode(error);
  return code === FULL || code === IO_ERROR;
}

/** True if a value is longer than SQLite's limit. */
export function isTooBig(error: unknown): boolean {
  return primaryCode(error) === TOO_BIG;
}

/** True if the table was dropped between two statements (its collection was deleted). */
export function isMissingTable(error: unknown): boolean {
  return error instanceof Error && error.message.includes('no such table');
}

/** Why a write failed, for health: contains no path, no name and no content of the document. */
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

/** The message of a failure, without a stack. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
