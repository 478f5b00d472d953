import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { apiErrors, type MillraceError, type ProtocolHost } from '@millrace/kernel';
import { httpErrors } from '../errors.js';
import { PROTOCOL_NAME } from '../PROTOCOL_NAME.js';
import { BODY_BROKEN } from '../request/readBody.js';
import { encodeResponse } from '../response/encodeResponse.js';
import { toRecord } from '../response/ResponseHeaders.js';
import type { SocketTable } from './SocketTable.js';

// How long a client that doesn't read or close may take to receive the answer.
const CLOSE_AFTER_MS = 2_000;

/** Dependencies of the answers to broken requests. */
export interface ClientErrorContext {
  readonly host: ProtocolHost;
  readonly sockets: SocketTable;
  readonly maxHeaderSize: number;
}

/**
 * Answers bytes that are no HTTP, a head that is too large or a request that is too slow, and closes the connection. If
 * an exchange is running on the socket, the exchange sends the answer: a second answer would be taken for its own.
 */
export function answerClientError(context: ClientErrorContext, error: NodeJS.ErrnoException, socket: Socket): void {
  const fault = toFault(error, context.maxHeaderSize);
  const state = context.sockets.stateOf(socket);
  if (fault === undefined || !socket.writable || state === undefined) {
    socket.destroy();
    return;
  }
  // Node reports further data on the same socket again.
  if (state.isBroken) return;
  state.isBroken = true;
  const unfinished = [...state.running].find((request) => !request.complete);
  if (unfinished !== undefined && state.waiting.delete(unfinished)) {
    // It has not begun: the others are answered, then the connection is closed.
    state.running.delete(unfinished);
  } else if (unfinished !== undefined) {
    // No exchange is waiting for the body: it has already been answered.
    if (!unfinished.emit(BODY_BROKEN, fault)) socket.destroySoon();
    return;
  }
  if (state.running.size === 0) void writeFault(context, fault, socket);
}

function toFault({ code = '', message }: NodeJS.ErrnoException, maxHeaderSize: number): MillraceError | undefined {
  if (code === 'HPE_HEADER_OVERFLOW') return httpErrors.head_too_large({ maxBytes: maxHeaderSize });
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return httpErrors.timeout({});
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return apiErrors.body_too_large({ maxBytes: maxHeaderSize });
  }
  // Other errors are socket failures: no client is left to answer.
  return code.startsWith('HPE_') ? httpErrors.malformed({ problem: message }) : undefined;
}

async function writeFault({ host }: ClientErrorContext, fault: MillraceError, socket: Socket): Promise<void> {
  const remoteAddress = socket.remoteAddress ?? '';
  const connection = { id: `${PROTOCOL_NAME}-broken`, protocol: PROTOCOL_NAME, remoteAddress };
  const response = await host.dispatch(host.createRequest({}, connection, fault));
  const { status, headers, content } = encodeResponse(response, ['Connection', 'close']);
  const lines = Object.entries(toRecord(headers)).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`;
  socket.end(Buffer.concat([Buffer.from(head), Buffer.from(content)]));
  setTimeout(() => socket.destroy(), CLOSE_AFTER_MS).unref();
}
