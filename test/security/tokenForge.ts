import { createHmac } from 'node:crypto';
import type { JsonObject } from '@millrace/kernel';

const DIGESTS: Readonly<Record<string, string>> = {
  HS256: 'sha256',
  HS384: 'sha384',
  HS512: 'sha512',
};

/** A token taken apart, without verification. */
export interface TokenParts {
  readonly header: JsonObject;
  readonly payload: JsonObject;
  readonly signature: string;
}

export function decodeToken(token: string): TokenParts {
  const [header = '', payload = '', signature = ''] = token.split('.');
  return { header: decodePart(header), payload: decodePart(payload), signature };
}

/** A token with any header and payload: signed with `key` by HMAC, else with the signature given, else with none. */
export function forgeToken(
  header: unknown,
  payload: unknown,
  { key, signature = '' }: { readonly key?: string | Buffer; readonly signature?: string } = {},
): string {
  const input = `${encodePart(header)}.${encodePart(payload)}`;
  if (key === undefined) return `${input}.${signature}`;
  const algorithm = String((header as { alg?: unknown }).alg);
  const digest = DIGESTS[algorithm.toUpperCase()] ?? 'sha256';
  return `${input}.${createHmac(digest, key).update(input).digest('base64url')}`;
}

function decodePart(part: string): JsonObject {
  return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as JsonObject;
}

/** Strings go in as they are: for anything but JSON. */
export function encodePart(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return Buffer.from(text).toString('base64url');
}
