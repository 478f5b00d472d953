import type { JsonObject } from '../../json/Json.js';
import type { LoginAttempt } from './AuthStrategy.js';

/** The request as a strategy of the passport library sees it. */
export interface PassportRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: JsonObject;
  readonly body: JsonObject;
  /** The login attempt, for verify callbacks (`passReqToCallback`). */
  readonly attempt: LoginAttempt;
}

/**
 * A strategy of the passport library; npm has hundreds. Its verify callback returns the user's id: `done(null, { userId
 * })` or `done(null, userId)`; `done(null, false)` for wrong credentials. A redirect becomes a result with status 302.
 * No session is kept.
 */
export interface PassportStrategy {
  authenticate(request: never, options?: object): unknown;
}
