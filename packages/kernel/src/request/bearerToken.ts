const SCHEME = /^[!#$%&'*+^_`|~0-9A-Za-z-]+(?=\s|$)/;

/**
 * The token of an Authorization header (SEC-52): null if the header has another scheme, such as `Basic` for a proxy.
 * Empty if no token follows `Bearer` (any case), or if the header has no scheme, such as a token alone: an empty token
 * counts as presented, and is refused with 401.
 */
export function bearerToken(authorization: string): string | null {
  const scheme = SCHEME.exec(authorization.trim())?.[0];
  if (scheme === undefined) return '';
  return scheme.toLowerCase() === 'bearer' ? authorization.trim().slice(scheme.length).trim() : null;
}
