import type { SqliteEngine } from '@millrace/storage-sqlite';
import type { InjectionToken } from 'tsyringe';
import type { Backups } from './Backups.js';

/** Makes and lists backups. */
export const BACKUPS: InjectionToken<Backups> = Symbol('Backups');

/**
 * The embedded engine; undefined while the documents are elsewhere. Not registered if the configuration has another
 * engine.
 */
export const EMBEDDED_ENGINE: InjectionToken<() => SqliteEngine | undefined> = Symbol('EmbeddedEngine');
