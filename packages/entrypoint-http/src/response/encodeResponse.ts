import { encodeMessage, isJsonObject, type Cookie, type JsonValue, type Response } from '@millrace/kernel';
import type { ResponseHeaders } from './ResponseHeaders.js';

const JSON_TYPE = 'application/json; charset=utf-8';
// Node joins a string with the head and writes both at once; bytes would be a separate write. For long strings this
// isn't worthwhile, and a head that is not ASCII (possible only for `Location`) would be sent as UTF-8.
const MAX_JOINED_BYTES = 65_536;

/** An answer ready to be written. */
export interface EncodedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** A string if it can be written together with the head; parts if it is long. */
  readonly content: Buffer | string | readonly Buffer[];
  /** Bytes of the content. */
  readonly length: number;
}

/** An answer with its content in one piece. */
export interface WholeResponse extends EncodedResponse {
  readonly content: Buffer | string;
}

/**
 * Turns a response into HTTP: the message as JSON, its `status` as the HTTP status. Other content of an action is sent
 * as its text instead; a 302 gets its `Location` (PROTO-20).
 * @param further headers of this answer alone, such as CORS and `Allow`
 * @throws if the result can't be written as JSON
 */
export function encodeResponse(response: Response, further: ResponseHeaders): WholeResponse {
  const { message, raw } = response;
  const text = raw === undefined ? encodeMessage(message) : raw.text;
  // Long text is encoded only once: the bytes also give the length.
  const bytes = text.length > MAX_JOINED_BYTES ? Buffer.from(text) : undefined;
  const length = bytes?.length ?? Buffer.byteLength(text);
  const headers = headersOf(response, length, further);
  const isJoined = length <= MAX_JOINED_BYTES && message.status !== 302;
  const content = bytes ?? (isJoined ? text : Buffer.from(text));
  return { status: message.status, headers, content, length };
}

/** As `encodeResponse`, for a message that is already encoded. */
export function wrapParts(response: Response, parts: readonly Buffer[], further: ResponseHeaders): EncodedResponse {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const headers = headersOf(response, length, further);
  return { status: response.message.status, headers, content: parts, length };
}

function headersOf(
  { message, raw, retryAfterSeconds, cookie }: Response,
  length: number,
  further: ResponseHeaders,
): ResponseHeaders {
  const headers: (string | number)[] = [
    'Content-Type',
    raw?.contentType ?? JSON_TYPE,
    'Content-Length',
    length,
    'X-Request-Id',
    message.requestId,
    // Answers depend on the token and change at any time.
    'Cache-Control',
    'no-store',
    'X-Content-Type-Options',
    'nosniff',
    ...further,
  ];
  if (retryAfterSeconds !== undefined) headers.push('Retry-After', Math.ceil(retryAfterSeconds));
  if (message.replayed === true) headers.push('Idempotent-Replayed', 'true');
  if (cookie !== undefined) headers.push('Set-Cookie', toSetCookie(cookie));
  const location = message.status === 302 ? locationOf(message.result) : undefined;
  if (location !== undefined) headers.push('Location', location);
  return headers;
}

function toSetCookie({ name, value, maxAgeSeconds, isSecure, path = '/', sameSite = 'Lax' }: Cookie): string {
  const rest = `Max-Age=${maxAgeSeconds}; Path=${path}; HttpOnly; SameSite=${sameSite}`;
  return `${name}=${value}; ${rest}${isSecure ? '; Secure' : ''}`;
}

function locationOf(result: JsonValue): string | undefined {
  if (!isJsonObject(result)) return undefined;
  const headers = Object.hasOwn(result, 'headers') ? result.headers : undefined;
  if (!isJsonObject(headers) || !Object.hasOwn(headers, 'Location')) return undefined;
  return typeof headers.Location === 'string' ? headers.Location : undefined;
}
