import type { InjectionToken } from 'tsyringe';
import type { ActionDefinition } from '../../actions/ActionDefinition.js';
import type { JsonObject } from '../../json/Json.js';
import type { IndexName } from '../../names/IndexName.js';
import type { CollectionPart } from '../../names/toCollectionName.js';
import type { Request } from '../../request/Request.js';
import type { MaybePromise } from '../storage/StorageEngine.js';
import type { Identity, Session } from './Session.js';
import type { User } from './User.js';

/**
 * One action on one thing, which rights are judged by: what a request names (`request.target`), or one of several things it
 * acts on: a line of a bulk, an item of `mX`, the collection of a scroll or room, an index of `mDelete`.
 */
export interface Target {
  readonly controller: string;
  readonly action: string;
  readonly index: IndexName | null;
  readonly collection: CollectionPart | null;
  /** Identifier of the document, null where it has none (yet). */
  readonly id: string | null;
  /** The content sent for it. */
  readonly body: JsonObject | null;
}

/**
 * The one decision point about who may do what. One per server; `authenticate` and `authorize` are called for every
 * request, in this order, before its arguments are looked at. A hot path: answer with a value, not a promise, whenever
 * it is at hand.
 */
export interface Security {
  /**
   * Who is behind a request. `request.token` is null where none was presented; then the connection's own user
   * counts, else the anonymous one.
   * @throws auth.invalid_token (401) for a presented token that is not valid: never silently anonymous
   */
  authenticate(request: Request): MaybePromise<Identity>;
  /** Judges `request.target`. @throws 401 or 403 where `request.user` may not do this */
  authorize(request: Request, action: ActionDefinition): MaybePromise<void>;
  /**
   * Judges one thing that a request acts on; `effect` and `subject` are those of the target's own action.
   * @throws as `authorize`
   */
  authorizeTarget(request: Request, target: Target): MaybePromise<void>;
  /** The same question where a no is an answer and not a refusal (what to list): nothing is thrown or audited. */
  isAllowed(request: Request, target: Target): MaybePromise<boolean>;
  /**
   * The user behind a session as it is now; null once the session has ended (expired, revoked, the user deleted). For
   * what outlives its request: a subscription.
   */
  userOf(session: Session): MaybePromise<User | null>;
  /** True once a user with profile `admin` exists. */
  adminExists(): MaybePromise<boolean>;
  /**
   * True while anonymous callers may do nearly everything, as before the first administrator exists. Once false it stays
   * false: callers may keep that answer.
   */
  isOpen(): MaybePromise<boolean>;
}

/** The security of this server: `OpenSecurity` unless a service takes its place. */
export const SECURITY: InjectionToken<Security> = Symbol.for('millrace.Security');
