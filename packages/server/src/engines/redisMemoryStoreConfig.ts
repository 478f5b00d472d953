import { type ConfigSchema, integerBetween } from '@millrace/kernel';

/** @throws Error that describes the expected value */
export function redisUrl(value: unknown): void {
  if (value === '') return;
  if (typeof value !== 'string' || !URL.canParse(value) || !/^rediss?:\/\//.test(value))
    throw new Error('must be an address such as redis://127.0.0.1:6379');
}

/** Configuration keys of section `memoryStore.redis` (MEM-60). */
export const redisMemoryStoreConfig: ConfigSchema = {
  url: {
    doc: 'Address of Redis; used by the engine "redis"',
    format: redisUrl,
    default: 'redis://127.0.0.1:6379',
    sensitive: true,
  },
  database: {
    doc: 'Logical database of the memory store, unless the address names one',
    format: integerBetween(0, 16_383),
    default: 5,
  },
  connectTimeoutMs: {
    doc: 'Time limit for a connection to Redis, in milliseconds',
    format: integerBetween(10, 600_000),
    default: 3_000,
  },
  silenceTimeoutMs: {
    doc: 'A Redis that is silent for so long counts as away, in milliseconds',
    format: integerBetween(100, 600_000),
    default: 6_000,
  },
};
