import type { InjectionToken } from 'tsyringe';
import type { Request } from '../../request/Request.js';
import type { MaybePromise } from '../storage/StorageEngine.js';
import type { ActionDefinition } from '../../actions/ActionDefinition.js';
import type { User } from './User.js';

/**
 * The two security steps of the pipeline. One per server; called for every request, in this order, before its
 * arguments are looked at. A hot path: answer with a value, not a promise, whenever it is at hand.
 */
export interface Security {
  /**
   * The user behind a request. `request.token` is null where none was presented; then the connection's own user
   * counts, else the anonymous one.
   * @throws auth.invalid_token (401) for a presented token that is not valid: never silently anonymous
   */
  authenticate(request: Request): MaybePromise<User>;
  /** @throws 401 or 403 where `request.user` may not do this */
  authorize(request: Request, action: ActionDefinition): MaybePromise<void>;
  /** True once a user with profile `admin` exists. */
  adminExists(): MaybePromise<boolean>;
}

/** The security of this server: `OpenSecurity` unless a service takes its place. */
export const SECURITY: InjectionToken<Security> = Symbol('Security');
