import type { NetworkGuard, RequestScheduler } from '@millrace/kernel';
import type { InjectionToken } from 'tsyringe';
import type { SqliteEngine } from '@millrace/storage-sqlite';
import type { Backups } from '../backup/Backups.js';
import type { Moves } from '../move/Moves.js';

/**
 * Limits connections and the requests allowed to pages of other origins. Resolved once all modules have been set up.
 */
export const NETWORK_GUARD: InjectionToken<NetworkGuard> = Symbol('NetworkGuard');

/** Queues requests by class and shares turns fairly. Resolved once the storage engine is known. */
export const SCHEDULER: InjectionToken<RequestScheduler> = Symbol('RequestScheduler');

/** Makes and lists backups. */
export const BACKUPS: InjectionToken<Backups> = Symbol('Backups');

/** Moves the data between engines. Not registered if the configured engine can't move. */
export const MOVES: InjectionToken<Moves> = Symbol('Moves');

/**
 * The embedded engine; undefined while the documents are elsewhere. Not registered if the configuration has another
 * engine.
 */
export const EMBEDDED_ENGINE: InjectionToken<() => SqliteEngine | undefined> = Symbol('EmbeddedEngine');
