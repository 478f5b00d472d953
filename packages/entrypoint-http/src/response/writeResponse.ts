import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http';
import type { DiscardPace } from './DiscardPace.js';
import type { EncodedResponse } from './encodeResponse.js';

// Long enough for a client on a loaded machine to read the answer before it has sent everything.
const LINGER_MS = 3_000;

/** How to treat the connection after an answer. */
export type Afterwards =
  | 'keep'
  | 'close'
  /**
   * The body has not been read: answer at once, then discard incoming data for a while. Closing with unread bytes would
   * reset the connection, and the client could lose the answer (RFC 9112 section 9.6).
   */
  | 'linger';

/** Writes an answer; status and headers are set once. Does nothing if the client has disconnected. */
export function writeResponse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, content }: EncodedResponse,
  afterwards: Afterwards,
  pace: DiscardPace,
): void {
  if (response.headersSent || response.destroyed || response.writableEnded) return;
  const all = afterwards === 'keep' ? headers : [...headers, 'Connection', 'close'];
  // Node only reads it.
  response.writeHead(status, all as (string | number)[] as OutgoingHttpHeader[]);
  const isBodyless = request.method === 'HEAD' || status === 204;
  if (afterwards !== 'linger') {
    if (!isBodyless) writeAllButLast(response, content);
    response.end(isBodyless ? undefined : lastOf(content));
    return;
  }
  response.flushHeaders();
  if (!isBodyless) {
    writeAllButLast(response, content);
    response.write(lastOf(content));
  }
  discardThenEnd(request, response, pace);
}

function writeAllButLast(response: ServerResponse, content: EncodedResponse['content']): void {
  if (!Array.isArray(content)) return;
  for (const part of content.slice(0, -1)) response.write(part);
}

function lastOf(content: EncodedResponse['content']): Buffer | string {
  return typeof content === 'string' || Buffer.isBuffer(content) ? content : (content.at(-1) ?? '');
}

function discardThenEnd(request: IncomingMessage, response: ServerResponse, pace: DiscardPace): void {
  const discard = (chunk: Buffer) => pace.discard(request, chunk.length);
  const end = () => {
    clearTimeout(timer);
    request.off('end', end).off('close', end).off('data', discard);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS).unref();
  request.on('end', end).on('close', end).on('error', end).on('data', discard);
  request.resume();
  // If the body is complete or the client has disconnected, neither event will follow.
  if (request.readableEnded || request.destroyed) end();
}
