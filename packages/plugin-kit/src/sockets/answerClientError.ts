import type { Duplex } from 'node:stream';

const REASONS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/**
 * For the event `clientError` of the HTTP server of a handshake: answers malformed, too long or too slow requests, and
 * closes their connection.
 */
export function answerClientError({ code }: NodeJS.ErrnoException, stream: Duplex): void {
  if (!stream.writable || code === 'ECONNRESET') stream.destroy();
  else stream.end(`HTTP/1.1 ${REASONS[code ?? ''] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`);
}
