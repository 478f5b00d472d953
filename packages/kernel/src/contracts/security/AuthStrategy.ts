import type { InjectionToken } from 'tsyringe';
import type { JsonObject, JsonValue } from '../../json/Json.js';
import type { Request } from '../request/Request.js';
import type { Redirect } from '../request/Response.js';
import type { MaybePromise } from '../../concurrency/MaybePromise.js';
import type { PassportStrategy } from './PassportStrategy.js';

/** The users as one strategy sees them: its own credentials of each user. */
export interface StrategyUsers {
  /** The credentials that this strategy stores for a user; null if there are none or no such user exists. */
  credentialsOf(userId: string): MaybePromise<JsonObject | null>;
  /** Replaces existing credentials of a user, for example to raise the cost of a hash at login. Revokes no token. */
  upgradeCredentials(userId: string, stored: JsonObject): Promise<void>;
}

/** A user that a strategy creates at a first login. */
export interface NewIdentityUser {
  /** These profiles must exist. */
  readonly profileIds: readonly string[];
  /** Free properties. */
  readonly content: JsonObject;
}

/**
 * Maps external identities, such as those of an identity provider, to users. An identity belongs to at most one user,
 * is deleted with its user, and is never inferred from anything else (an e-mail address, a user's `_id`). Each strategy
 * has its own.
 */
export interface StrategyIdentities {
  /** @param identity 1 to 2,048 characters @returns the user's id, or null if no user has this identity */
  find(identity: string): MaybePromise<string | null>;
  /**
   * Finds the user of an identity, or creates one without a password, under a generated id. Of several concurrent
   * calls, even on several nodes, one creates the user and all return the same one.
   * @throws security.invalid_user (400) for profiles that don't exist and properties that a user can't have
   */
  findOrCreate(identity: string, user: NewIdentityUser): Promise<string>;
}

/** One attempt to log in. */
export interface LoginAttempt {
  /**
   * What the client sent for the strategy: the body (over HTTP also the query string) without `strategy`, `expiresIn`.
   */
  readonly parameters: JsonObject;
  readonly request: Request;
  /** The headers that the strategy declares, and `authorization` and `cookie`; names in lower case. Never logged. */
  readonly headers: Readonly<Record<string, string>>;
  readonly users: StrategyUsers;
  readonly identities: StrategyIdentities;
  /**
   * The page to which the browser returns after the login; undefined: none. A strategy with `redirects` keeps it in its
   * state in the first step, and gives it to `resume` in the last one.
   */
  readonly returning?: JsonObject | undefined;
  /**
   * To be called in the last step once the state is known to be that of this client, with `returning` of the first one:
   * from then on a success and an error are answered by a redirect to that page.
   */
  resume?(returning: JsonValue | undefined): void;
}

/** Credentials that a strategy stores for each user, in the internal store, linked by the user's `suid`. */
export interface StrategyCredentials {
  /**
   * The property of a user's body that carries the credentials when a user is created or changed, such as `password`:
   * it is then mandatory for every user created through the security controller. It is never stored with the user.
   */
  readonly userProperty?: string;
  /**
   * Validates the given credentials (`{password: …}`) and returns what to store: no secret in plain text. Never logged
   * or returned to clients.
   * @param signal aborted when the client disconnects: expensive work that still waits should then be dropped
   * @throws a registered error (400) that names the field and never its value
   */
  prepare(given: JsonObject, user: { readonly _id: string }, signal?: AbortSignal): MaybePromise<JsonObject>;
  /**
   * Whether the given credentials (`{password: …}`) match the stored result of `prepare`. Called when a user confirms a
   * change with the current password. Absent: this strategy's credentials can't confirm anything.
   */
  matches?(given: JsonObject, stored: JsonObject, signal?: AbortSignal): MaybePromise<boolean>;
}

/**
 * A way to log in, registered by a plugin with `host.strategy`: `verify`, or a strategy of the passport library. Called
 * by the auth controller at `login` with `strategy` = `name`; calls for different requests may overlap. The host limits
 * a call to 5 s (a later answer is ignored) and may call again for a retried login. A throw fails that login alone:
 * registered errors are returned unchanged, others become `core.plugin_failed`.
 */
export interface AuthStrategy {
  readonly name: string;
  /**
   * @returns the user's id; null for wrong credentials (401, with the same message for every cause); or a redirect
   *   (302): the client continues elsewhere and then logs in again with the result
   */
  verify?(parameters: JsonObject, attempt: LoginAttempt): MaybePromise<{ readonly userId: string } | Redirect | null>;
  /** Replaces `verify`. A function creates the strategy at the first login, once. */
  readonly passport?: PassportStrategy | (() => Promise<PassportStrategy>);
  /**
   * The account that an attempt is for: failures are counted by account and peer address. Absent or null: by address
   * only.
   */
  accountOf?(parameters: JsonObject): string | null;
  /**
   * Headers that it reads in addition to `authorization` and `cookie`: `['x-api-key']`, in lower case. Over HTTP those
   * of the request, otherwise those in the message's field `headers`.
   */
  readonly headers?: readonly string[];
  /** True if its parameters may be sent as an HTML form to `POST /_login/<strategy>` (SAML). Default false. */
  readonly takesForms?: boolean;
  /**
   * True if the first step of a login needs no parameters and is answered with a `Redirect`: pages offer it as a link
   * (`auth.getStrategies` with `kind`). Default false.
   */
  readonly redirects?: boolean;
  /** Absent if the strategy stores nothing for a user. */
  readonly credentials?: StrategyCredentials;
}

/** All strategies of this server by name. */
export const STRATEGIES: InjectionToken<ReadonlyMap<string, AuthStrategy>> = Symbol.for('millrace.Strategies');
