import type { InjectionToken } from 'tsyringe';
import type { JsonObject } from '../../json/Json.js';
import type { Request } from '../../request/Request.js';
import type { MaybePromise } from '../storage/StorageEngine.js';
import type { PassportStrategy } from './PassportStrategy.js';

/** The users, as far as one strategy sees them: its own credentials of each. */
export interface StrategyUsers {
  /** What this strategy keeps for a user; null where there is no such user or nothing is kept. */
  credentialsOf(userId: string): MaybePromise<JsonObject | null>;
  /** Keeps other credentials for a user that has some: to raise the cost of a hash at a login. Revokes no token. */
  upgradeCredentials(userId: string, stored: JsonObject): Promise<void>;
}

/** One attempt to log in. */
export interface LoginAttempt {
  /** What the client sent for the strategy: the body (over HTTP the query string too) without `strategy`, `expiresIn`. */
  readonly parameters: JsonObject;
  readonly request: Request;
  readonly users: StrategyUsers;
}

/** Credentials that a strategy keeps for each user, in the internal store, linked by the user's `suid`. */
export interface StrategyCredentials {
  /**
   * The property of a user's body that carries them when a user is created or changed, such as `password`: then every
   * user created through the security controller needs it. It never becomes part of the stored user.
   */
  readonly userProperty?: string;
  /**
   * Checks what was given (`{password: …}`) and makes what is kept of it: no secret in the clear. Never logged or returned.
   * @throws a registered error (400) that names the field and never its value
   */
  prepare(given: JsonObject, user: { readonly _id: string }): MaybePromise<JsonObject>;
}

/**
 * A way to log in, brought by a plugin through `host.strategy`: `verify`, or a strategy of the passport library.
 * Called by the auth controller at `login` with `strategy` = `name`; calls for different requests may overlap. The host
 * limits a call to 5 s (a later answer is ignored) and may call again for a retried login. A throw fails that login
 * alone: a registered error as it is, anything else as `core.plugin_failed`.
 */
export interface AuthStrategy {
  readonly name: string;
  /** @returns the user's identifier, or null for wrong credentials (401, the same message for every cause) */
  verify?(
    parameters: JsonObject,
    attempt: LoginAttempt,
  ): MaybePromise<{ readonly userId: string } | null>;
  /** In place of `verify`. */
  readonly passport?: PassportStrategy;
  /** Which account an attempt is for: failures are counted by it and the peer's address. Absent or null: by address. */
  accountOf?(parameters: JsonObject): string | null;
  /** Absent where the strategy keeps nothing for a user. */
  readonly credentials?: StrategyCredentials;
}

/** All strategies of this server by name. */
export const STRATEGIES: InjectionToken<ReadonlyMap<string, AuthStrategy>> = Symbol('Strategies');
