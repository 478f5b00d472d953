import type { Request, ResponseMessage } from '@millrace/kernel';
import type { LoginOutcome } from './logIn.js';

const TOKEN_ERRORS: readonly string[] = ['auth.invalid_token', 'auth.token_expired'];

type KnownUser = Extract<LoginOutcome, { readonly kind: 'user' }>;

/** The user of a CONNECT packet, whose token requests without one get (PROTO-63). */
export class SessionUser {
  private known: KnownUser;

  constructor(user: KnownUser) {
    this.known = user;
  }

  get id(): string {
    return this.known.userId;
  }

  get token(): string {
    return this.known.token;
  }

  /** UTC milliseconds. */
  get expiresAtMs(): number {
    return this.known.expiresAtMs;
  }

  /**
   * One of the connection's requests may refresh its token, or reveal that the token has ended.
   * @returns whether it has ended
   */
  follow(request: Request, message: ResponseMessage): boolean {
    if (request.token !== this.token) return false;
    const hasEnded = message.error !== null && TOKEN_ERRORS.includes(message.error.id);
    const isLoggedOut = message.status === 200 && message.action === 'logout';
    if (hasEnded || (isLoggedOut && message.controller === 'auth')) return true;
    const renewed = message.status === 200 ? renewedToken(message) : undefined;
    if (renewed !== undefined) this.known = { ...this.known, ...renewed };
    return false;
  }
}

/** The token that `auth.refreshToken` returned in exchange for the one sent. */
function renewedToken(message: ResponseMessage): Pick<KnownUser, 'token' | 'expiresAtMs'> | undefined {
  if (message.controller !== 'auth' || message.action !== 'refreshToken') return undefined;
  const { jwt, expiresAt } = message.result as Record<string, unknown>;
  if (typeof jwt !== 'string') return undefined;
  return { token: jwt, expiresAtMs: typeof expiresAt === 'number' ? expiresAt : Infinity };
}
