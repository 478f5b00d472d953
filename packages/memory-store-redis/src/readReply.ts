import { memoryErrors, MillraceError, type MemoryReply } from '@millrace/kernel';

/** Code words of refusals that are not the caller's making (MEM-30). */
const UNAVAILABLE: ReadonlySet<string> = new Set([
  'LOADING', 'BUSY', 'MASTERDOWN', 'CLUSTERDOWN', 'READONLY', 'MISCONF', 'OOM', 'TRYAGAIN',
]); // prettier-ignore
const REFUSES_SERVICE: ReadonlySet<string> = new Set(['NOAUTH', 'NOPERM', 'WRONGPASS']);

/** A raw reply as JSON; `DUMP` alone keeps its bytes. */
export function readReply(command: string, raw: unknown): MemoryReply {
  if (raw === null) return null;
  // Integers come as text, texts as bytes.
  if (typeof raw === 'string') {
    const number = Number(raw);
    return Number.isSafeInteger(number) ? number : raw;
  }
  if (Buffer.isBuffer(raw)) return command === 'DUMP' ? new Uint8Array(raw) : raw.toString('utf8');
  if (Array.isArray(raw)) return raw.map((item) => readReply(command, item));
  throw new Error(`a reply of Redis of an unknown kind: ${typeof raw}`);
}

/** The registered error for what the client threw; a refusal of the service itself stays as it is, for the log. */
export function toRegisteredError(error: unknown): unknown {
  if (error instanceof MillraceError || !(error instanceof Error)) return error;
  const { message } = error;
  const code = /^[A-Z]+/.exec(message)?.[0] ?? '';
  // Replies begin with a code word; whatever else goes wrong is the way to Redis.
  if (code.length < 2) {
    return memoryErrors.unavailable({ reason: 'Redis can not be reached' }, { cause: error });
  }
  if (REFUSES_SERVICE.has(code)) return error;
  if (UNAVAILABLE.has(code)) {
    return memoryErrors.unavailable({ reason: `Redis answers ${code}` }, { cause: error });
  }
  return memoryErrors.command_error({ message }, { cause: error });
}
