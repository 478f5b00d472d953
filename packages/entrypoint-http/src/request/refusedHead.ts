import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { MillraceError } from '@millrace/kernel';
import { httpErrors } from '../errors.js';

// If these are repeated, Node keeps the first; a proxy in front may keep the last (request smuggling).
const ONCE = ['host', 'authorization', 'content-type', 'content-length', 'transfer-encoding'];
// RFC 9110 section 7.2; a name, an address or a bracketed IPv6 address, and a port.
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d*)?$/i;

/**
 * Refuses request heads that two servers may interpret differently.
 * @returns http.malformed (400)
 */
export function refusedHead(request: IncomingMessage): MillraceError | undefined {
  const { headers, httpVersion, rawHeaders } = request;
  const transferEncoding = headers['transfer-encoding'];
  // RFC 9112 section 6.1: `chunked` only, and never in HTTP/1.0.
  const isChunked = transferEncoding?.toLowerCase() === 'chunked' && httpVersion === '1.1';
  if (transferEncoding !== undefined && !isChunked) {
    return httpErrors.malformed({ problem: 'Transfer-Encoding must be chunked' });
  }
  if (headers.host === undefined ? httpVersion === '1.1' : !HOST.test(headers.host)) {
    return httpErrors.malformed({ problem: 'header Host is missing or not valid' });
  }
  return findRepeated(headers, rawHeaders);
}

function findRepeated(headers: IncomingHttpHeaders, rawHeaders: readonly string[]): MillraceError | undefined {
  // Usually none is: then there are as many as names.
  let nameCount = 0;
  for (const _ in headers) nameCount++;
  if (2 * nameCount === rawHeaders.length) return undefined;
  const seen = new Set<string>();
  for (let position = 0; position < rawHeaders.length; position += 2) {
    const name = rawHeaders[position]?.toLowerCase() ?? '';
    if (!ONCE.includes(name)) continue;
    if (seen.has(name)) return httpErrors.malformed({ problem: `header ${name} is repeated` });
    seen.add(name);
  }
  return undefined;
}
