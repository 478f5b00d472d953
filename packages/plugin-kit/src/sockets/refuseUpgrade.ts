import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { createRequest, errorResponse, type Connection } from '@millrace/kernel';

/**
 * Answers the handshake of a lasting connection with an HTTP error, the envelope as its body, and closes it. Without
 * CORS headers, so that a refused page learns nothing.
 */
export function refuseUpgrade(stream: Duplex, connection: Connection, error: unknown): void {
  const { message } = errorResponse(createRequest({}, connection), error, false);
  const body = JSON.stringify(message);
  const head = [
    `HTTP/1.1 ${message.status} ${STATUS_CODES[message.status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${message.requestId}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  stream.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
