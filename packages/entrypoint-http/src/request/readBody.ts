import type { IncomingMessage } from 'node:http';
import type { MillraceError } from '@millrace/kernel';

/**
 * Event on a request whose body turned out malformed or too slow; the only argument is the error to answer. Node
 * reports this to the server only (`clientError`) and leaves the request waiting.
 */
export const BODY_BROKEN = Symbol('bodyBroken');

/** Consumes the bytes of a body as they arrive. */
export interface BodySink {
  /** @returns why the body is refused; nothing more is read then */
  take(chunk: Buffer): MillraceError | undefined;
}

/** How reading a body ended. */
export type BodyOutcome =
  | { readonly kind: 'complete' }
  /** Larger than the limit, or refused by the sink; the caller must discard the rest. */
  | { readonly kind: 'refused'; readonly error: MillraceError }
  | { readonly kind: 'broken'; readonly error: MillraceError }
  /** The client has disconnected: no answer can reach it. */
  | { readonly kind: 'aborted' };

const COMPLETE: BodyOutcome = { kind: 'complete' };

/** True if the headers of a request announce a body (RFC 9112 section 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  const length = headers['content-length'];
  return length !== undefined && length !== '0';
}

/**
 * Reads a body of at most `maxBytes` into a sink. Raw `data` events were measured to be faster than iteration and
 * body-parsing packages.
 * @param tooLarge the error for a body beyond the limit
 * @param sink absent: the body is read completely and discarded
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  tooLarge: () => MillraceError,
  sink?: BodySink,
): Promise<BodyOutcome> {
  if (!hasBody(request)) return Promise.resolve(COMPLETE);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    return Promise.resolve({ kind: 'refused', error: tooLarge() });
  }
  if (request.destroyed) return Promise.resolve({ kind: 'aborted' });
  return new Promise((resolve) => {
    let byteCount = 0;
    const finish = (outcome: BodyOutcome) => {
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      request.off(BODY_BROKEN, onBroken);
      resolve(outcome);
    };
    const onData = (chunk: Buffer) => {
      byteCount += chunk.length;
      const error = byteCount > maxBytes ? tooLarge() : sink?.take(chunk);
      if (error !== undefined) finish({ kind: 'refused', error });
    };
    // The listeners stay: nothing but `close` follows, which changes nothing, and removing them costs as much as adding.
    const onEnd = () => resolve(COMPLETE);
    const onClose = () => finish({ kind: 'aborted' });
    const onBroken = (error: MillraceError) => finish({ kind: 'broken', error });
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
    request.on(BODY_BROKEN, onBroken);
  });
}
