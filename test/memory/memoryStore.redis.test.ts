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

  vitest.it('limits the bytes of a transaction and of its watches (MEM-53)', async () => {
    const { expect } = vitest;
    const store = await openMemoryStore(redisEngine(server.url), { maxQueuedBytes: 10_000 });
    try {
      const [first, second] = ['a'.repeat(6_000), 'b'.repeat(6_000)];
      const tooMuch = { status: 400, message: 'ERR a transaction takes at most 10000 bytes' };
      expect(await store.outcome('watch', { keys: [first] })).toBe('OK');
      expect(await store.outcome('watch', { keys: [second] })).toMatchObject(tooMuch);
      await store.call('multi');
      const set = () => store.outcome('set', { _id: 'k', body: { value: second } });
      expect(await set()).toMatchObject(tooMuch);
      await store.call('discard');
      await store.call('multi');
      expect(await set()).toBe('QUEUED');
      expect(await store.call('exec')).toEqual(['OK']);
    } finally {
      await store.close();
    }
  });

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
