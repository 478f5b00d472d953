/** The claims `iat` and `exp` of a token, in milliseconds; null for opaque tokens. Nothing is verified. */
export function tokenLife(token: string): { issuedAtMs: number; lifeMs: number } | null {
  try {
    const part = token.split('.')[1] ?? '';
    const { iat, exp } = JSON.parse(atob(part.replaceAll('-', '+').replaceAll('_', '/'))) as Record<
      string,
      unknown
    >;
    if (typeof iat !== 'number' || typeof exp !== 'number') return null;
    return { issuedAtMs: iat * 1_000, lifeMs: (exp - iat) * 1_000 };
  } catch {
    return null;
  }
}
