import { encodeMessage, isJsonObject, type Cookie, type Response } from '@millrace/kernel';
import type { ResponseHeaders } from './CorsPolicy.js';

const JSON_TYPE = 'application/json; charset=utf-8';
// Node joins text with the head and writes both at once; bytes would be a write of their own. It doesn't pay for long text,
// and a head that is not ASCII (only a `Location` may not be) would come out as UTF-8.
const MAX_JOINED_BYTES = 65_536;

/** An answer, ready to be written. */
export interface EncodedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** Text where it is to be written in one go with the head. */
  readonly content: Buffer | string;
  /** Bytes of the content. */
  readonly length: number;
}

/**
 * Turns a response into HTTP: the message as JSON, its `status` as the HTTP status. An action that answers other content
 * gives its text instead; a 302 gets its `Location` (decisions.md section 2).
 * @param further headers of this answer alone, such as CORS and `Allow`
 * @throws where the result is no JSON
 */
export function encodeResponse(response: Response, further: ResponseHeaders): EncodedResponse {
  const { message, raw, retryAfterSeconds, cookie } = response;
  const text = raw === undefined ? encodeMessage(message) : raw.text;
  // Long text is looked at once: its bytes tell their number.
  const bytes = text.length > MAX_JOINED_BYTES ? Buffer.from(text) : undefined;
  const length = bytes?.length ?? Buffer.byteLength(text);
  const headers: Record<string, string | number> = {
    'Content-Type': raw?.contentType ?? JSON_TYPE,
    'Content-Length': length,
    'X-Request-Id': message.requestId,
    // Answers depend on the token and change at any time.
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...further,
  };
  if (retryAfterSeconds !== undefined) headers['Retry-After'] = Math.ceil(retryAfterSeconds);
  if (cookie !== undefined) headers['Set-Cookie'] = toSetCookie(cookie);
  const location = message.status === 302 ? locationOf(response) : undefined;
  if (location !== undefined) headers.Location = location;
  const isJoined = length <= MAX_JOINED_BYTES && location === undefined;
  const content = bytes ?? (isJoined ? text : Buffer.from(text));
  return { status: message.status, headers, content, length };
}

function toSetCookie({ name, value, maxAgeSeconds, isSecure }: Cookie): string {
  const rest = `Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=Lax`;
  return `${name}=${value}; ${rest}${isSecure ? '; Secure' : ''}`;
}

function locationOf({ message: { result } }: Response): string | undefined {
  if (!isJsonObject(result)) return undefined;
  const headers = Object.hasOwn(result, 'headers') ? result.headers : undefined;
  if (!isJsonObject(headers) || !Object.hasOwn(headers, 'Location')) return undefined;
  return typeof headers.Location === 'string' ? headers.Location : undefined;
}
