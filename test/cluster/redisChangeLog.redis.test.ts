import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vitest from 'vitest';
import { RedisNodeLink } from '@millrace/cluster';
import { silentLogger, systemClock, type ChangeLog } from '@millrace/kernel';
import { createSqliteEngine } from '@millrace/storage-sqlite';
import { describeChangeLog } from '@millrace/testing';
import { hasRedis, startRedis } from '../memory/startRedis.js';
import { engineWrites } from '../storage/engineWrites.js';
import { withoutLog } from '../storage/withoutLog.js';

async function openNode(dataDir: string, url: string, maxAgeMs: number, maxStreamBytes: number) {
  const store = createSqliteEngine({ dataDir, logger: silentLogger });
  await store.start();
  const link = new RedisNodeLink({
    config: {
      enabled: true,
      redis: { url, prefix: 'suite', connectTimeoutMs: 3_000, silenceTimeoutMs: 3_000 },
      heartbeatMs: 250,
      leaseMs: 1_000,
      deadAfterMs: 5_000,
      confirmTimeoutMs: 100,
      maxQueuedBytes: 2 ** 25,
      maxStreamBytes,
      maxStreamEntries: 100_000,
    },
    serviceName: 'suite',
    clock: systemClock,
    logger: silentLogger,
    startTimeoutMs: 10_000,
    history: { maxAgeMs, collections: 'subscribed' },
    internalIndex: '%internal',
  });
  const engine = link.record(withoutLog(store));
  await link.start();
  return {
    engine,
    log: engine.changeLog as ChangeLog,
    stop: async () => {
      await link.stop();
      await store.stop();
    },
  };
}

if (hasRedis()) {
  describeChangeLog(
    'RedisChangeLog',
    async ({ maxAgeMs, maxBytes }) => {
      const dataDir = await mkdtemp(join(tmpdir(), 'millrace-log-'));
      const redis = await startRedis(undefined, { more: ['--databases', '1'] });
      const open = () => openNode(dataDir, redis.url, maxAgeMs, maxBytes);
      let node = await open();
      return {
        log: node.log,
        laterThan: (head) => head.replace('.', '.z'),
        ...engineWrites(() => node.engine),
        reopen: async () => {
          await node.stop();
          node = await open();
          return node.log;
        },
        close: async () => {
          await node.stop();
          await redis.close();
          await rm(dataDir, { recursive: true, force: true });
        },
      };
    },
    vitest,
  );
}
