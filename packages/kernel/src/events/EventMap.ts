import type { Connection } from '../contracts/request/Connection.js';
import type { Target } from '../contracts/security/Security.js';
import type { Session } from '../contracts/security/Session.js';
import type { CommittedWrite, Emptying } from '../contracts/storage/WriteObservers.js';
import type { Request } from '../contracts/request/Request.js';
import type { Response } from '../contracts/request/Response.js';

/** Events by name, with the payload that a hook receives. */
export interface EventMap {
  /** A request was accepted for running (not yet authenticated). */
  'request.started': { readonly request: Request };
  /** A request was answered, successfully or with an error. */
  'request.ended': { readonly request: Request; readonly response: Response };
  /** A persistent connection opened or closed; `slow`: it was closed because the client read too slowly. HTTP has none. */
  'connection.opened': { readonly connection: Connection };
  'connection.closed': { readonly connection: Connection; readonly cause?: 'slow' | undefined };
  /**
   * A document was written on this node: created (`before` is null), changed, or deleted (`after` is null), by any
   * action. Events of one document come in the order of its versions. Not emitted for the server's internal data.
   */
  'document.afterWrite': CommittedWrite;
  /** A collection was truncated or deleted, or an index deleted (`collection` is null): no event for each document. */
  'collection.emptied': Emptying;
  /** A user logged in. */
  'auth.loggedIn': {
    readonly session: Session;
    readonly strategy: string;
    readonly connection: Connection;
  };
  /** A login was refused. `account` is the account that the strategy read from the credentials, never a secret. */
  'auth.loginFailed': {
    readonly strategy: string;
    readonly account: string | null;
    readonly reason: 'wrong_credentials' | 'too_many_attempts' | 'failed';
    readonly connection: Connection;
  };
  /** A user logged out: the token of the request was revoked. */
  'auth.loggedOut': { readonly session: Session; readonly connection: Connection };
  /** A token was exchanged for a new one and revoked. */
  'auth.tokenRefreshed': {
    readonly previous: Session;
    readonly session: Session;
    readonly connection: Connection;
  };
  /** All tokens of a user were revoked, except the one that `exceptTokenId` names. */
  'auth.tokensRevoked': {
    readonly userId: string;
    readonly exceptTokenId: string | null;
    readonly reason: 'credentials_changed' | 'user_deleted' | 'signed_out_everywhere';
  };
  /** A user, profile or role was created, changed or deleted; rights change immediately. `by` is the acting user. */
  'security.userChanged': SecurityChange;
  'security.profileChanged': SecurityChange;
  'security.roleChanged': SecurityChange;
  /** An API key was created, rotated or deleted, or its replaced secret has ended. */
  'security.apiKeyChanged': ApiKeyChange;
  /**
   * Another node of the cluster has changed users, profiles, roles or tokens; this node has cleared its caches.
   * `revokes`: tokens may have been revoked, those of the user or, if `userId` is null, of anybody.
   */
  'security.changedElsewhere': { readonly userId: string | null; readonly revokes: boolean };
  /** A token was exchanged on another node. */
  'auth.tokenRefreshedElsewhere': { readonly previous: Session; readonly session: Session };
  /** A request, or one thing it acts on, was refused with 401 or 403 because a permission is missing. */
  'security.denied': { readonly request: Request; readonly target: Target };
  /** All entrypoints listen. */
  'server.started': Readonly<Record<never, never>>;
  /** The server begins to stop. */
  'server.stopping': Readonly<Record<never, never>>;
}

/** What changed in users, profiles or roles. */
export interface SecurityChange {
  readonly id: string;
  readonly change: 'created' | 'updated' | 'deleted';
  readonly by: string;
}

/** What changed about an API key. */
export interface ApiKeyChange {
  readonly keyId: string;
  /** Its owner. */
  readonly userId: string;
  readonly change: 'created' | 'rotated' | 'deleted' | 'secretEnded';
  /** The acting user. */
  readonly by: string;
}

/** The name of an event. */
export type EventName = keyof EventMap;
