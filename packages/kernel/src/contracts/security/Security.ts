import type { InjectionToken } from 'tsyringe';
import type { ActionDefinition } from '../actions/ActionDefinition.js';
import type { JsonObject } from '../../json/Json.js';
import type { IndexName } from '../names/IndexName.js';
import type { CollectionPart } from '../names/toCollectionName.js';
import type { Request } from '../request/Request.js';
import type { MaybePromise } from '../../concurrency/MaybePromise.js';
import type { DocumentRight } from './DocumentRight.js';
import type { Identity, Session } from './Session.js';
import type { User } from './User.js';

/**
 * One action on one object, the unit of authorisation: either the target of a request (`request.target`), or one of
 * several that it acts on: a line of a bulk import, an item of `mX`, the collection of a scroll or room, an index of
 * `mDelete`.
 */
export interface Target {
  readonly controller: string;
  readonly action: string;
  readonly index: IndexName | null;
  readonly collection: CollectionPart | null;
  /** Id of the document, null if it has none (yet). */
  readonly id: string | null;
  /** The content sent for the document. */
  readonly body: JsonObject | null;
}

/**
 * The only component that authorises requests. One per server; `authenticate` and `authorize` are called for every
 * request, in this order, before its arguments are checked. A hot path: return a value, not a promise, whenever it is
 * available.
 */
export interface Security {
  /**
   * Identifies the user of a request. `request.token` is null if none was presented; the user is then the connection's
   * own, else the anonymous one.
   * @throws auth.invalid_token (401) for an invalid token: never silently anonymous
   */
  authenticate(request: Request): MaybePromise<Identity>;
  /** Authorises `request.target`. @throws 401 or 403 if `request.user` may not do this */
  authorize(request: Request, action: ActionDefinition): MaybePromise<void>;
  /**
   * Authorises one object that a request acts on; `effect` and `subject` are those of the target's own action.
   * @throws as `authorize`
   */
  authorizeTarget(request: Request, target: Target): MaybePromise<void>;
  /** As `authorizeTarget`, but returns the result (for filtering lists): nothing is thrown or audited. */
  isAllowed(request: Request, target: Target): MaybePromise<boolean>;
  /**
   * The documents and fields that a request may see or change by an action: false: none, true: all. Services ask once
   * per request, and for each item of bulk and multi-document requests. Absent: true.
   */
  documentRight?(request: Request, target: Target): MaybePromise<boolean | DocumentRight>;
  /**
   * The current user of a session; null once the session has ended (expired, revoked, the user deleted). For
   * subscriptions, which outlive their request.
   */
  userOf(session: Session): MaybePromise<User | null>;
  /** True once a user with profile `admin` exists. */
  adminExists(): MaybePromise<boolean>;
  /**
   * True while anonymous callers may do nearly everything, until the first administrator exists. Once false it stays
   * false, so callers may cache that result.
   */
  isOpen(): MaybePromise<boolean>;
}

/** The security of this server: `OpenSecurity` unless a service replaces it. */
export const SECURITY: InjectionToken<Security> = Symbol.for('millrace.Security');
