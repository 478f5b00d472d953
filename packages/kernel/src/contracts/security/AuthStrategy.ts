import type { InjectionToken } from 'tsyringe';
import type { JsonObject } from '../../json/Json.js';
import type { Request } from '../../request/Request.js';
import type { Redirect } from '../../request/Response.js';
import type { MaybePromise } from '../storage/StorageEngine.js';
import type { PassportStrategy } from './PassportStrategy.js';

/** The users, as far as one strategy sees them: its own credentials of each. */
export interface StrategyUsers {
  /** What this strategy keeps for a user; null where there is no such user or nothing is kept. */
  credentialsOf(userId: string): MaybePromise<JsonObject | null>;
  /** Keeps other credentials for a user that has some: to raise the cost of a hash at a login. Revokes no token. */
  upgradeCredentials(userId: string, stored: JsonObject): Promise<void>;
}

/** A user that a strategy makes at a first login. */
export interface NewIdentityUser {
  /** Must exist. */
  readonly profileIds: readonly string[];
  /** Free properties. */
  readonly content: JsonObject;
}

/**
 * Whom a strategy knows by identifiers of somebody else, such as an identity provider's. An identity belongs to one user
 * at most, ends with its user, and is never guessed from anything else (an e-mail address, a user's `_id`). Each strategy
 * has its own.
 */
export interface StrategyIdentities {
  /** @param identity 1 to 2,048 characters @returns the user's identifier, or null where the identity is nobody's */
  find(identity: string): MaybePromise<string | null>;
  /**
   * Finds the user of an identity, or makes one without a password, under a generated identifier. Of several calls at
   * once, also on several nodes, one makes the user and all give the same.
   * @throws security.invalid_user (400) for profiles that don't exist and properties that a user can't have
   */
  findOrCreate(identity: string, user: NewIdentityUser): Promise<string>;
}

/** One attempt to log in. */
export interface LoginAttempt {
  /** What the client sent for the strategy: the body (over HTTP the query string too) without `strategy`, `expiresIn`. */
  readonly parameters: JsonObject;
  readonly request: Request;
  /** Those that the strategy declares, and `authorization` and `cookie`: names in lower case. Never logged. */
  readonly headers: Readonly<Record<string, string>>;
  readonly users: StrategyUsers;
  readonly identities: StrategyIdentities;
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
   * @param signal aborted when the client has left: costly work that still waits should be dropped then
   * @throws a registered error (400) that names the field and never its value
   */
  prepare(
    given: JsonObject,
    user: { readonly _id: string },
    signal?: AbortSignal,
  ): MaybePromise<JsonObject>;
  /**
   * Does what was given (`{password: …}`) belong to what `prepare` made earlier? Asked when a user confirms a change by
   * the current password. Absent: this strategy's credentials can't confirm anything.
   */
  matches?(given: JsonObject, stored: JsonObject, signal?: AbortSignal): MaybePromise<boolean>;
}

/**
 * A way to log in, brought by a plugin through `host.strategy`: `verify`, or a strategy of the passport library.
 * Called by the auth controller at `login` with `strategy` = `name`; calls for different requests may overlap. The host
 * limits a call to 5 s (a later answer is ignored) and may call again for a retried login. A throw fails that login
 * alone: a registered error as it is, anything else as `core.plugin_failed`.
 */
export interface AuthStrategy {
  readonly name: string;
  /**
   * @returns the user's identifier, or null for wrong credentials (401, the same message for every cause), or where the
   * client goes on (302): the next step is another login with what it brings back
   */
  verify?(
    parameters: JsonObject,
    attempt: LoginAttempt,
  ): MaybePromise<{ readonly userId: string } | Redirect | null>;
  /** In place of `verify`. */
  readonly passport?: PassportStrategy;
  /** Which account an attempt is for: failures are counted by it and the peer's address. Absent or null: by address. */
  accountOf?(parameters: JsonObject): string | null;
  /**
   * Headers that it reads, beside `authorization` and `cookie`: `['x-api-key']`, in lower case. Over HTTP those of the
   * request, elsewhere those that the message has in its field `headers`.
   */
  readonly headers?: readonly string[];
  /** True where its parameters may come as an HTML form to `POST /_login/<strategy>` (SAML). Default false. */
  readonly takesForms?: boolean;
  /** Absent where the strategy keeps nothing for a user. */
  readonly credentials?: StrategyCredentials;
}

/** All strategies of this server by name. */
export const STRATEGIES: InjectionToken<ReadonlyMap<string, AuthStrategy>> =
  Symbol.for('millrace.Strategies');
