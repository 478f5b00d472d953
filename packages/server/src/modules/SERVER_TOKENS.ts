import type { NetworkGuard, RequestScheduler } from '@millrace/kernel';
import type { InjectionToken } from 'tsyringe';
import type { SqliteEngine } from '@millrace/storage-sqlite';
import type { Backups } from '../backup/Backups.js';

/**
 * Limits connections and the requests allowed to pages of other origins. Resolved once all modules have been set up.
 */
export const NETWORK_GUARD: InjectionToken<NetworkGuard> = Symbol('NetworkGuard');

/** Queues requests by class and shares turns fairly. Resolved once the storage engine is known. */
export const SCHEDULER: InjectionToken<RequestScheduler> = Symbol('RequestScheduler');

/** Makes and lists backups. */
export const BACKUPS: InjectionToken<Backups> = Symbol('Backups');

/**
 * The embedded engine; undefined while the documents are elsewhere. Not registered if the configuration has another
 * engine.
 */
export const EMBEDDED_ENGINE: InjectionToken<() => SqliteEngine | undefined> = Symbol('EmbeddedEngine');
