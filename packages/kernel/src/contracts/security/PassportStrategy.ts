import type { JsonObject } from '../../json/Json.js';
import type { LoginAttempt } from './AuthStrategy.js';

/** The request as a strategy of the passport library sees it. */
export interface PassportRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: JsonObject;
  readonly body: JsonObject;
  /** For verify callbacks (`passReqToCallback`): the attempt behind it. */
  readonly attempt: LoginAttempt;
}

/**
 * A strategy of the passport library, as npm has them by the hundred. Its verify callback names the user by identifier:
 * `done(null, { userId })` or `done(null, userId)`; `done(null, false)` for wrong credentials. What it redirects to
 * becomes a result with status 302. No session is kept.
 */
export interface PassportStrategy {
  authenticate(request: never, options?: object): unknown;
}
