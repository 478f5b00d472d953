import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { embeddedEngine, openMemoryStore, type OpenMemoryStore } from './openMemoryStore.js';

describe('transactions of the memory store', () => {
  let store: OpenMemoryStore;
  beforeEach(async () => {
    store = await openMemoryStore(embeddedEngine(), { maxQueuedActions: 3, maxBlockedCalls: 1 });
  });
  afterEach(() => store.close());
  const get = (connectionId: string) => store.outcome('get', { _id: 'k' }, connectionId);

  it('take a bounded number of actions (MEM-53)', async () => {
    await store.call('multi', {}, 'a');
    for (let at = 0; at < 3; at++) expect(await get('a')).toBe('QUEUED');
    expect(await get('a')).toMatchObject({ status: 400, id: 'memory.command_error' });
    expect(await store.outcome('exec', {}, 'a')).toMatchObject({ status: 400 });
    expect(await get('a')).toBe(null);
  });

  describe('take a bounded number of bytes (MEM-53)', () => {
    const value = 'x'.repeat(4_000);
    const set = (connectionId: string) => store.outcome('set', { _id: 'k', body: { value } }, connectionId);
    const watch = (...keys: readonly string[]) => store.outcome('watch', { keys }, 'a');
    const fill = async (connectionId: string) => {
      await store.call('multi', {}, connectionId);
      return [await set(connectionId), await set(connectionId)];
    };
    const tooMuch = { status: 400, message: 'ERR a transaction takes at most 10000 bytes' };
    beforeEach(async () => {
      await store.close();
      store = await openMemoryStore(embeddedEngine(), { maxQueuedBytes: 10_000 });
    });

    it('for their actions, whose bytes return with the end of the transaction', async () => {
      for (const end of ['exec', 'discard'])
        for (let round = 0; round < 20; round++) {
          expect(await fill('a')).toEqual(['QUEUED', 'QUEUED']);
          await store.call(end, {}, 'a');
        }
      await fill('a');
      expect(await set('a')).toMatchObject(tooMuch);
      expect(await store.outcome('exec', {}, 'a')).toMatchObject({ status: 400 });
      await store.call('multi', {}, 'a');
      const values = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`f${n}`, '']));
      const hmset = await store.outcome('hmset', { _id: 'h', body: { values } }, 'a');
      expect(hmset).toMatchObject(tooMuch);
    });

    it('for the keys they watch, until they are unwatched', async () => {
      const keys = ['a', 'b', 'c'].map((name) => name.repeat(4_000));
      for (let round = 0; round < 2; round++) {
        expect(await watch(...keys.slice(0, 2))).toBe('OK');
        expect(await watch(...keys.slice(2))).toMatchObject(tooMuch);
        await store.call('unwatch', {}, 'a');
      }
      await store.call('multi', {}, 'a');
      await store.call('discard', {}, 'a');
      expect(await watch(...Array.from({ length: 50 }, (_, n) => `k${n}`))).toMatchObject(tooMuch);
    });

    it('all together, of which one address has two thirds', async () => {
      for (let n = 0; n < 6; n++) expect(await fill(`${n}@192.0.2.1`)).toEqual(['QUEUED', 'QUEUED']);
      const refused = { status: 503, id: 'memory.unavailable' };
      for (const outcome of await fill('6@192.0.2.1')) expect(outcome).toMatchObject(refused);
      expect(await fill('a@192.0.2.2')).toEqual(['QUEUED', 'QUEUED']);
      for (const id of ['0@192.0.2.1', '6@192.0.2.1', 'a@192.0.2.2']) await store.call('discard', {}, id);
      expect(await fill('6@192.0.2.1')).toEqual(['QUEUED', 'QUEUED']);
    });
  });

  it('end after their time', async () => {
    await store.close();
    store = await openMemoryStore(embeddedEngine(), { transactionTimeoutMs: 80 });
    await store.call('multi', {}, 'a');
    await get('a');
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(await store.outcome('exec', {}, 'a')).toMatchObject({
      message: 'ERR EXEC without MULTI',
    });
  });

  it('end with their connection, and give their slot back', async () => {
    await store.call('watch', { keys: ['k'] }, 'a');
    expect(await store.outcome('watch', { keys: ['k'] }, 'b')).toMatchObject({ status: 503 });
    const connection = { id: 'a', protocol: 'test', remoteAddress: '' };
    store.hooks.emit('connection.closed', { connection });
    await expect.poll(() => store.outcome('watch', { keys: ['k'] }, 'b')).toBe('OK');
  });

  it('are discarded when an action was refused by its arguments (MEM-52)', async () => {
    await store.call('multi', {}, 'a');
    expect(await store.outcome('append', { _id: 'k', body: {} }, 'a')).toMatchObject({ id: 'memory.invalid_argument' });
    await store.call('set', { _id: 'k', body: { value: 1 } }, 'a');
    expect(await store.outcome('exec', {}, 'a')).toMatchObject({
      message: 'EXECABORT Transaction discarded because of previous errors.',
    });
    expect(await get('b')).toBe(null);
  });
});
