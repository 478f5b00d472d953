import type { InjectionToken } from 'tsyringe';
import type { Request } from '../request/Request.js';
import type { MaybePromise } from '../../concurrency/MaybePromise.js';

/** A bucket of `burst` units that refills at `perSecond` units a second. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** What a request was counted against, and what is left of it. */
export interface RateLimitState {
  readonly scope: 'key' | 'user' | 'address';
  /** Key of the bucket, unique among all scopes. */
  readonly key: string;
  readonly limit: RateLimit;
  readonly remaining: number;
  /** Milliseconds until the bucket is full. */
  readonly resetMs: number;
}

/** Limits how many requests a caller may send. The dispatcher counts each request before it is authorised. */
export interface RateLimits {
  /** Counts one unit, and sets `request.rateLimit`. @throws api.too_many_requests (429) */
  take(request: Request): MaybePromise<void>;
  /** Counts the further cost of a request that runs, in units: the bucket may be overdrawn. Never throws. */
  charge(request: Request, cost: number): void;
}

/** The limits of this server. Absent: none. */
export const RATE_LIMITS: InjectionToken<RateLimits> = Symbol.for('millrace.RateLimits');
