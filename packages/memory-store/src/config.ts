import { type ConfigSchema, integerBetween } from '@millrace/kernel';
import { QUARTER_OF_MEMORY } from './embedded/toMaxMemory.js';

/** The values of section `memoryStore` that this package uses, as checked by `memoryStoreConfig`. */
export interface MemoryStoreConfig {
  /** Maximum number of blocking actions and open transactions with watches; one more is answered 503. */
  readonly maxBlockedCalls: number;
  /** Longest wait of a blocking action, in milliseconds. */
  readonly maxBlockMs: number;
  /** Longest string value, in bytes. */
  readonly maxValueBytes: number;
  /** How long a transaction may stay open, in milliseconds. */
  readonly transactionTimeoutMs: number;
  /** Maximum number of actions that a transaction may queue. */
  readonly maxQueuedActions: number;
  /** Maximum number of bytes that the queue and the watched keys of a transaction may take; eight times that for all. */
  readonly maxQueuedBytes: number;
  /** Embedded engine: limit of the memory for keys in bytes; 0 for none, -1 for a quarter of the available memory. */
  readonly maxMemory: number;
  /** Embedded engine, beyond `maxMemory`: refuse writes, or evict the least recently used keys. */
  readonly evictionPolicy: 'noeviction' | 'allkeys-lru';
  /** Embedded engine: when writes are synced to disk. */
  readonly sync: 'everysec' | 'always';
}

/**
 * Configuration keys of section `memoryStore` (MEM-41, MEM-53). `memoryStore.engine` and the keys of
 * `memoryStore.redis` are declared where the engine is selected.
 */
export const memoryStoreConfig: ConfigSchema = {
  maxBlockedCalls: {
    doc: 'Blocking actions and transactions with watches at a time; past these 503',
    format: integerBetween(1, 10_000),
    default: 64,
  },
  maxBlockMs: {
    doc: 'Longest wait of a blocking action, in milliseconds; longer ones are lowered to it',
    format: integerBetween(1, 3_600_000),
    default: 30_000,
  },
  maxValueBytes: {
    doc: 'Longest string value, in bytes; offsets past it are refused',
    format: integerBetween(1_024, 536_870_912),
    default: 67_108_864,
  },
  transactionTimeoutMs: {
    doc: 'How long a transaction may stay open, in milliseconds',
    format: integerBetween(10, 3_600_000),
    default: 30_000,
  },
  maxQueuedActions: {
    doc: 'Actions that a transaction may queue',
    format: integerBetween(1, 1_000_000),
    default: 1_000,
  },
  maxQueuedBytes: {
    doc: 'Bytes that the queued actions and watched keys of a transaction may take; all open transactions together may take eight times as much',
    format: integerBetween(1_024, 1_073_741_824),
    default: 8_388_608,
  },
  maxMemory: {
    doc: 'Embedded engine: bytes that its keys may take, as estimated; -1 for a quarter of the memory of the machine or container, 0 for no bound',
    format: integerBetween(QUARTER_OF_MEMORY, Number.MAX_SAFE_INTEGER),
    default: QUARTER_OF_MEMORY,
  },
  evictionPolicy: {
    doc: 'Embedded engine past maxMemory: refuse writes, or drop the keys used longest ago',
    format: ['noeviction', 'allkeys-lru'],
    default: 'noeviction',
  },
  sync: {
    doc: 'Embedded engine: force writes to the disk each second, or before each answer',
    format: ['everysec', 'always'],
    default: 'everysec',
  },
};
