import { integerBetween, type ConfigSchema } from '@millrace/kernel';
import { redisUrl } from './redisMemoryStoreConfig.js';

function keyPrefix(value: unknown): void {
  if (typeof value !== 'string' || !/^[\w:.-]{0,64}$/.test(value)) {
    throw new Error('must be at most 64 letters, digits, "_", "-", ".", ":"');
  }
}

const between = (doc: string, value: number, minimum: number, maximum: number) => ({
  doc,
  format: integerBetween(minimum, maximum),
  default: value,
});

/** Configuration keys of section `cluster`. */
export const clusterConfig: ConfigSchema = {
  enabled: { doc: 'Joins this server to the others on the same Redis', format: Boolean, default: false },
  redis: {
    url: { doc: 'Address of the Redis of the cluster', format: redisUrl, default: '', sensitive: true },
    prefix: { doc: 'Begins each key of the cluster in Redis; empty: the service name', format: keyPrefix, default: '' },
    connectTimeoutMs: between('Time limit for a connection to Redis, in milliseconds', 3_000, 10, 600_000),
    silenceTimeoutMs: between('A Redis that is silent for so long counts as away, in milliseconds', 3_000, 1_000, 600_000),
  },
  heartbeatMs: between('Time between two heartbeats of a node, in milliseconds', 250, 10, 60_000),
  leaseMs: between('For how long after the last heartbeat that went round memory is trusted, in milliseconds', 1_000, 50, 600_000),
  deadAfterMs: between('A node that is silent for so long is declared dead, in milliseconds', 5_000, 100, 600_000),
  confirmTimeoutMs: between('A write waits for Redis no longer than this, in milliseconds', 100, 0, 60_000),
  maxQueuedBytes: between('Bytes that wait for Redis on a node; beyond, they are dropped and subscribers notified', 32 * 2 ** 20, 2 ** 16, 2 ** 31),
  maxStreamBytes: between('Bytes of changes that the stream in Redis holds, approximately', 128 * 2 ** 20, 2 ** 16, 2 ** 40),
  maxStreamEntries: between('Entries that the stream in Redis holds', 100_000, 100, 10_000_000),
}; // prettier-ignore
