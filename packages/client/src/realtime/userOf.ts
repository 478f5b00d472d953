import { tokenClaims } from '../auth/tokenLife.js';

/** The user of a token, or the prefix and id of an API key; null without one. Nothing is verified. */
export function userOf(token: string | null): string | null {
  return token === null ? null : ((tokenClaims(token)['sub'] as string | undefined) ?? token.slice(0, 11));
}
