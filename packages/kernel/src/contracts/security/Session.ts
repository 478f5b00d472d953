import type { User } from './User.js';

/** The token behind a request, once it has been found valid. */
export interface Session {
  /** The token's `jti`. */
  readonly tokenId: string;
  readonly userId: string;
  /** End of the token, UTC milliseconds. */
  readonly expiresAtMs: number;
}

/** Who makes a request, and by what token; `session` is null for requests without one. */
export interface Identity {
  readonly user: User;
  readonly session: Session | null;
}
