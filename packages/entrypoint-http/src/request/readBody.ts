import type { IncomingMessage } from 'node:http';
import type { MillraceError } from '@millrace/kernel';

/**
 * Event on a request whose body turned out malformed or too slow; the only argument is the error to answer. Node tells
 * the server of it (`clientError`) and leaves the request waiting.
 */
export const BODY_BROKEN = Symbol('bodyBroken');

/** How the reading of a body ended. */
export type ReceivedBody =
  | { readonly kind: 'complete'; readonly bytes: Buffer }
  /** More than the limit; what comes later is for the caller to discard. */
  | { readonly kind: 'tooLarge' }
  | { readonly kind: 'broken'; readonly error: MillraceError }
  /** The client is gone: nobody waits for an answer. */
  | { readonly kind: 'aborted' };

const NOTHING: ReceivedBody = { kind: 'complete', bytes: Buffer.alloc(0) };

/** True where the head of a request announces a body (RFC 9112 section 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  const length = headers['content-length'];
  return length !== undefined && length !== '0';
}

/**
 * Reads a body of at most `maxBytes`. Raw `data` events: measured faster than iteration and body-parsing packages
 * (research/hot-paths.md section 2). Buffers nothing beyond the limit.
 * @param keep false: reads to the end without keeping anything
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  keep = true,
): Promise<ReceivedBody> {
  if (!hasBody(request)) return Promise.resolve(NOTHING);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    return Promise.resolve({ kind: 'tooLarge' });
  }
  if (request.destroyed) return Promise.resolve({ kind: 'aborted' });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let byteCount = 0;
    const finish = (outcome: ReceivedBody) => {
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      request.off(BODY_BROKEN, onBroken);
      resolve(outcome);
    };
    const onData = (chunk: Buffer) => {
      byteCount += chunk.length;
      if (byteCount > maxBytes) finish({ kind: 'tooLarge' });
      else if (keep) chunks.push(chunk);
    };
    const onEnd = () => finish({ kind: 'complete', bytes: joined(chunks) });
    const onClose = () => finish({ kind: 'aborted' });
    const onBroken = (error: MillraceError) => finish({ kind: 'broken', error });
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
    request.on(BODY_BROKEN, onBroken);
  });
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
}
