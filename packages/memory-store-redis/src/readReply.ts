import { memoryErrors, MillraceError, type MemoryReply } from '@millrace/kernel';

/** Codes of errors that the caller hasn't caused (MEM-30). */
const UNAVAILABLE: ReadonlySet<string> = new Set([
  'LOADING', 'BUSY', 'MASTERDOWN', 'CLUSTERDOWN', 'READONLY', 'MISCONF', 'OOM', 'TRYAGAIN',
]); // prettier-ignore
const REFUSES_SERVICE: ReadonlySet<string> = new Set(['NOAUTH', 'NOPERM', 'WRONGPASS']);

/** A raw reply as JSON; only `DUMP` keeps its bytes. */
export function readReply(command: string, raw: unknown): MemoryReply {
  if (raw === null) return null;
  // Integers arrive as strings, strings as bytes.
  if (typeof raw === 'string') {
    const number = Number(raw);
    return Number.isSafeInteger(number) ? number : raw;
  }
  if (Buffer.isBuffer(raw)) return command === 'DUMP' ? new Uint8Array(raw) : raw.toString('utf8');
  if (Array.isArray(raw)) return raw.map((item) => readReply(command, item));
  throw new Error(`a reply of Redis of an unknown kind: ${typeof raw}`);
}

/**
 * The registered error for an exception of the client; a refusal of the service's own credentials stays unchanged, for
 * the log.
 */
export function toRegisteredError(error: unknown): unknown {
  if (error instanceof MillraceError || !(error instanceof Error)) return error;
  const { message } = error;
  const code = /^[A-Z]+/.exec(message)?.[0] ?? '';
  // Error replies begin with a code; all other failures concern the connection to Redis.
  if (code.length < 2) {
    return memoryErrors.unavailable({ reason: 'Redis can not be reached' }, { cause: error });
  }
  if (REFUSES_SERVICE.has(code)) return error;
  if (UNAVAILABLE.has(code)) {
    return memoryErrors.unavailable({ reason: `Redis answers ${code}` }, { cause: error });
  }
  return memoryErrors.command_error({ message }, { cause: error });
}
