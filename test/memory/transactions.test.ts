import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { embeddedEngine, openMemoryStore, type OpenMemoryStore } from './openMemoryStore.js';

describe('transactions of the memory store', () => {
  let store: OpenMemoryStore;
  beforeEach(async () => {
    store = await openMemoryStore(embeddedEngine(), { maxQueuedActions: 3, maxBlockedCalls: 1 }); // prettier-ignore
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
    expect(await store.outcome('append', { _id: 'k', body: {} }, 'a')).toMatchObject({ id: 'memory.invalid_argument' }); // prettier-ignore
    await store.call('set', { _id: 'k', body: { value: 1 } }, 'a');
    expect(await store.outcome('exec', {}, 'a')).toMatchObject({ message: 'EXECABORT Transaction discarded because of previous errors.' }); // prettier-ignore
    expect(await get('b')).toBe(null);
  });
});
