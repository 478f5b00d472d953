/** Meanings of operating-system error codes, for callers without a login: no path and no address. */
const MEANINGS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space left on the device',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the largest file size is reached',
  EIO: 'the device reports an input or output error',
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files',
  ECONNREFUSED: 'the connection is refused',
  ECONNRESET: 'the connection was closed',
  ETIMEDOUT: 'the connection timed out',
  ENOTFOUND: 'the host name is unknown',
  EHOSTUNREACH: 'the host is out of reach',
};

/** Maximum depth of causes examined. */
const MAX_DEPTH = 5;

/** The cause of an engine's failure as far as a public response may reveal it; undefined if unknown. */
export function describeFailure(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; depth < MAX_DEPTH && current instanceof Error; depth += 1) {
    const code: unknown = 'code' in current ? current.code : undefined;
    if (typeof code === 'string' && Object.hasOwn(MEANINGS, code)) return MEANINGS[code];
    current = current.cause;
  }
  return undefined;
}
