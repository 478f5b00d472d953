import type { IncomingMessage } from 'node:http';
import { isForm } from './parseBody.js';

/**
 * The bytes of a body that another application has already read, from the `body` property set by its parser: bytes, a
 * string, or a value that is stringified again.
 * @returns undefined if there is none
 */
export function readBodyBytes(request: IncomingMessage & { readonly body?: unknown }): Buffer | undefined {
  const { body, headers } = request;
  if (Buffer.isBuffer(body)) return body;
  if (typeof body === 'string') return Buffer.from(body);
  if (typeof body !== 'object' || body === null) return undefined;
  if (!isForm(headers)) return Buffer.from(JSON.stringify(body));
  const texts = Object.entries(body).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Buffer.from(new URLSearchParams(texts).toString());
}
