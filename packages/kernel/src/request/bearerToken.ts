/**
 * The token of an Authorization header. Empty where the scheme is not Bearer (any case) or no token follows: an empty
 * token is presented, and refused with 401 (decisions.md section 7).
 */
export function bearerToken(authorization: string): string {
  const space = authorization.indexOf(' ');
  if (space < 0 || authorization.slice(0, space).toLowerCase() !== 'bearer') return '';
  return authorization.slice(space + 1).trim();
}
