import type { RateLimitState } from '@millrace/kernel';
import type { ResponseHeaders } from './ResponseHeaders.js';

/** The limit that a request was counted against, in the form of draft-ietf-httpapi-ratelimit-headers. */
export function rateLimitHeaders({ scope, limit, remaining, resetMs }: RateLimitState): ResponseHeaders {
  const { perSecond, burst } = limit;
  return [
    'RateLimit-Policy',
    `"${scope}";q=${burst};w=${Math.max(1, Math.ceil(burst / perSecond))}`,
    'RateLimit',
    `"${scope}";r=${remaining};t=${Math.ceil(resetMs / 1_000)}`,
  ];
}
