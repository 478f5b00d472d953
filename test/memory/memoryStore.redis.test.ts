import * as vitest from 'vitest';
import { describeMemoryStore } from '@millrace/testing';
import { openMemoryStore, redisEngine } from './openMemoryStore.js';
import { hasRedis, startRedis, type StartedRedis } from './startRedis.js';

vitest.describe.skipIf(!hasRedis())('with a real Redis', () => {
  let server: StartedRedis;
  vitest.beforeAll(async () => {
    server = await startRedis();
  });
  vitest.afterAll(() => server.close());

  describeMemoryStore(
    'Redis',
    async () => {
      const store = await openMemoryStore(redisEngine(server.url));
      await store.call('flushdb');
      return store;
    },
    vitest,
  );
});
