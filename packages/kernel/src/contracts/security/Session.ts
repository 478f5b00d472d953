import type { User } from './User.js';

/** The valid token of a request. */
export interface Session {
  /** The token's `jti`. */
  readonly tokenId: string;
  readonly userId: string;
  /** Expiry of the token, UTC milliseconds. */
  readonly expiresAtMs: number;
}

/** The user and the session of a request; `session` is null for requests without a token. */
export interface Identity {
  readonly user: User;
  readonly session: Session | null;
}
