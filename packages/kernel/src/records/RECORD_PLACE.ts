import type { DependencyContainer, InjectionToken } from 'tsyringe';
import { INTERNAL_INDEX } from '../contracts/runtime/INTERNAL_INDEX.js';
import { STORAGE_ENGINE, type StorageEngine } from '../contracts/storage/StorageEngine.js';

/** The index that contains collections of records. */
export interface RecordPlace {
  readonly engine: StorageEngine;
  readonly index: string;
}

/** The internal index on the configured engine. */
export const RECORD_PLACE: InjectionToken<RecordPlace> = Symbol.for('millrace.RecordPlace');

/** Registers the name of the internal index, and the place of its records on the engine registered by then. */
export function registerInternalIndex(container: DependencyContainer, index: string): void {
  container.registerInstance(INTERNAL_INDEX, index);
  container.register(RECORD_PLACE, { useFactory: (each) => ({ engine: each.resolve(STORAGE_ENGINE), index }) });
}
