import type { Request } from './Request.js';

/**
 * A cookie that an entrypoint sets if its protocol has cookies (HTTP): always `HttpOnly` and for one host. Name and
 * value are visible ASCII without `;`, `,`, `=`, quotes and backslashes.
 */
export interface Cookie {
  readonly name: string;
  readonly value: string;
  /** 0 deletes it. */
  readonly maxAgeSeconds: number;
  /** Sent back over https only. */
  readonly isSecure: boolean;
  /** Sent back with requests of this path and below. Default `/`. */
  readonly path?: string;
  /** `Strict`: never sent back with requests that another site causes, links included. Default `Lax`. */
  readonly sameSite?: 'Lax' | 'Strict';
}

/**
 * A cookie of a request over HTTP; null if it is absent, and on every other protocol. The first of several with the
 * same name counts.
 */
export function readCookie({ connection, headers }: Request, name: string): string | null {
  if (connection.protocol !== 'http') return null;
  const header = headers?.['cookie'];
  if (typeof header !== 'string') return null;
  for (const part of header.split(';')) {
    const equals = part.indexOf('=');
    if (equals > 0 && part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim();
  }
  return null;
}
