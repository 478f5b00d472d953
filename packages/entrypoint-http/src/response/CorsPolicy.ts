import { parseOrigins } from '@millrace/plugin-kit';
import type { ResponseHeaders } from './ResponseHeaders.js';

const ANY = '*';

const PREFLIGHT: ResponseHeaders = [
  'Access-Control-Allow-Methods',
  'GET, HEAD, POST, PUT, DELETE, OPTIONS',
  'Access-Control-Allow-Headers',
  'Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, X-Requested-With, X-Request-Id',
  'Access-Control-Max-Age',
  '86400',
];

const EXPOSED: ResponseHeaders = [
  'Access-Control-Expose-Headers',
  'Allow, ETag, Idempotent-Replayed, Millrace-Cursor, Millrace-Hint, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
];

const NONE: ResponseHeaders = [];
const FOR_ANY: ResponseHeaders = ['Access-Control-Allow-Origin', ANY, ...EXPOSED];
// The answer depends on the origin, so a cache must not reuse it for another one.
const VARY: ResponseHeaders = ['Vary', 'Origin'];

/** Which pages of other origins may read answers. Credentials are never allowed (PROTO-29). */
export class CorsPolicy {
  private readonly origins: ReadonlySet<string>;
  private readonly allowsAny: boolean;

  /** @param origin `*`, one origin or several; empty: none */
  constructor(origin: string | readonly string[]) {
    this.origins = new Set(parseOrigins(origin) ?? []);
    this.allowsAny = this.origins.has(ANY);
  }

  /** Headers of every answer to a page of this origin. */
  headersFor(origin: string | undefined): ResponseHeaders {
    if (this.allowsAny) return FOR_ANY;
    if (this.origins.size === 0) return NONE;
    if (origin === undefined || !this.origins.has(origin.toLowerCase())) return VARY;
    return ['Access-Control-Allow-Origin', origin, ...VARY, ...EXPOSED];
  }

  /** Additional headers of the answer to OPTIONS. */
  preflightHeaders(): ResponseHeaders {
    return this.origins.size === 0 ? NONE : PREFLIGHT;
  }
}
