import { setTimeout as sleep } from 'node:timers/promises';
import { clusterErrors, coreErrors, isError, type Clock, type Logger } from '@millrace/kernel';
import type { RedisLogStore } from './RedisLogStore.js';
import type { RedisStream } from './RedisStream.js';

const PAUSE_MS = 500;

/** What is opened, and how. */
export interface OpenRedisParts {
  readonly url: string;
  readonly stream: RedisStream;
  /** Absent: without a change log. */
  readonly logStore: RedisLogStore | undefined;
  readonly withinMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Opens the connections to Redis, and waits for it if it isn't there yet.
 * @throws cluster.unavailable (503), core.invalid_config
 */
export async function openRedis(parts: OpenRedisParts): Promise<void> {
  const { url, stream, logStore, withinMs, clock, logger } = parts;
  if (url === '') {
    const reason = 'configuration cluster.redis.url is empty: expected the address of Redis';
    throw clusterErrors.unavailable({ reason });
  }
  const endMs = clock.monotonicMs() + withinMs - PAUSE_MS;
  for (let isFirst = true; ; isFirst = false) {
    try {
      await stream.open();
      await stream.assertKeeps();
      await logStore?.open();
      return;
    } catch (error) {
      stream.close();
      logStore?.close();
      const isRefused = isError(error, coreErrors.invalid_config);
      if (isRefused || clock.monotonicMs() + PAUSE_MS > endMs) throw error;
      if (isFirst) logger.warn({}, 'waiting for the Redis of the cluster');
      await sleep(PAUSE_MS);
    }
  }
}
