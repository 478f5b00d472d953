import { type ConfigSchema, integerBetween, type JsonObject } from '@millrace/kernel';
import type { InjectionToken } from 'tsyringe';

/** The values of section `storage` that this package uses, as checked by `storageConfig`. */
export interface StorageConfig {
  /** Mapping of collections created without one, and the base of those created with one. */
  readonly defaultMapping: JsonObject;
  /** Maximum number of open scrolls with pages left; one more is answered 429. */
  readonly maxScrolls: number;
  /** Interval between searches for expired scrolls, in milliseconds. */
  readonly scrollSweepMs: number;
  /** Number of operations that bulk and multi-document actions pass to the engine at once. */
  readonly writeBatchSize: number;
}

/** The values of this server. */
export const STORAGE_CONFIG: InjectionToken<StorageConfig> = Symbol('StorageConfig');

/**
 * Configuration keys of section `storage`. `storage.engine` and the engines' own keys are declared where the engine is
 * selected.
 */
export const storageConfig: ConfigSchema = {
  defaultMapping: {
    doc: 'Mapping of new collections, as JSON; a mapping given at creation is laid over it',
    format: Object,
    default: { dynamic: true, properties: {} },
  },
  maxScrolls: {
    doc: 'Scrolls with pages left that may be open at a time',
    format: integerBetween(1, 1_000_000),
    default: 500,
  },
  scrollSweepMs: {
    doc: 'How often expired scrolls are looked for, in milliseconds',
    format: integerBetween(10, 3_600_000),
    default: 5_000,
  },
  writeBatchSize: {
    doc: 'Operations handed to the storage engine at a time by bulk import and multi-document actions',
    format: integerBetween(1, 1_000_000),
    default: 20_000,
  },
};
