import type { User } from './User.js';

/** The valid token or API key of a request. */
export interface Session {
  /** The token's `jti`; for an API key an id of its present secret. */
  readonly tokenId: string;
  readonly userId: string;
  /** Expiry of the token, UTC milliseconds; Infinity for an API key that doesn't expire. */
  readonly expiresAtMs: number;
  /** The id of the API key that was sent in place of a token. */
  readonly apiKeyId?: string;
}

/** The user and the session of a request; `session` is null for requests without a token. */
export interface Identity {
  readonly user: User;
  readonly session: Session | null;
}
