/** The content of a token; empty for opaque tokens. Nothing is verified. */
export function tokenClaims(token: string): Readonly<Record<string, unknown>> {
  try {
    const part = token.split('.')[1] ?? '';
    return JSON.parse(atob(part.replaceAll('-', '+').replaceAll('_', '/'))) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** The claims `iat` and `exp` of a token, in milliseconds; null for opaque tokens. Nothing is verified. */
export function tokenLife(token: string): { issuedAtMs: number; lifeMs: number } | null {
  const { iat, exp } = tokenClaims(token);
  if (typeof iat !== 'number' || typeof exp !== 'number') return null;
  return { issuedAtMs: iat * 1_000, lifeMs: (exp - iat) * 1_000 };
}
