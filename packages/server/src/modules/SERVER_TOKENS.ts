import type { NetworkGuard, RequestScheduler } from '@millrace/kernel';
import type { InjectionToken } from 'tsyringe';

/**
 * Limits connections and the requests allowed to pages of other origins. Resolved once all modules have been set up.
 */
export const NETWORK_GUARD: InjectionToken<NetworkGuard> = Symbol('NetworkGuard');

/** Queues requests by class and shares turns fairly. Resolved once the storage engine is known. */
export const SCHEDULER: InjectionToken<RequestScheduler> = Symbol('RequestScheduler');
