import { silentLogger, type Logger } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { openMemoryStore, redisEngine, type OpenMemoryStore } from './openMemoryStore.js';
import { freePort, hasRedis, startRedis } from './startRedis.js';

async function untilWaiting(store: OpenMemoryStore, count: number): Promise<void> {
  const blocked = async () => {
    const info = (await store.call('info', { section: 'clients' })) as string;
    return Number(/blocked_clients:(\d+)/.exec(info)?.[1]);
  };
  await expect.poll(blocked).toBeGreaterThanOrEqual(count);
}

describe.skipIf(!hasRedis())('the memory store while Redis comes and goes', () => {
  it('answers 503 at once while Redis is away, and works again by itself', async () => {
    const port = await freePort();
    const first = await startRedis(port);
    const lines: unknown[] = [];
    const logger: Logger = {
      ...silentLogger,
      warn: (_, message) => lines.push(message),
      info: (_, message) => lines.push(message),
    };
    const store = await openMemoryStore(redisEngine(first.url, {}, logger));
    expect(await store.call('set', { _id: 'k', body: { value: 1 } })).toBe('OK');
    const waiting = store.outcome('blpop', { _id: 'q', body: { timeout: 20 } }, 'a');
    await untilWaiting(store, 1);
    await first.close();
    expect(await waiting).toMatchObject({ status: 503, id: 'memory.unavailable' });
    const away = await store.outcome('get', { _id: 'k' });
    expect(away).toEqual({
      status: 503,
      id: 'memory.unavailable',
      message: 'The memory store is unavailable: Redis can not be reached',
    });
    expect(await store.outcome('watch', { keys: ['k'] }, 'b')).toMatchObject({ status: 503 });
    const second = await startRedis(port);
    const set = () => store.outcome('set', { _id: 'k', body: { value: 2 } });
    await expect.poll(set).toBe('OK');
    // However often it tried to connect in between.
    expect(lines).toEqual(['memory store: the connection to Redis is lost', 'memory store: connected to Redis again']);
    await store.close();
    await second.close();
  });

  it('does not start where there is no Redis, and says so', async () => {
    const engine = redisEngine(`redis://127.0.0.1:${await freePort()}`);
    await expect(engine.start()).rejects.toMatchObject({ id: 'memory.unavailable', status: 503 });
    await engine.stop();
  });

  it('keeps to its own database: nothing of another one is seen or destroyed (MEM-60)', async () => {
    const server = await startRedis();
    const other = await openMemoryStore(redisEngine(server.url, { database: 0 }));
    const store = await openMemoryStore(redisEngine(server.url));
    await other.call('flushdb');
    await store.call('flushdb');
    await other.call('set', { _id: 'session', body: { value: 'secret' } });
    await store.call('mset', { body: { values: { a: 1, b: 2 } } });
    expect(await store.call('keys', { pattern: '*' })).toHaveLength(2);
    expect(await store.call('dbsize')).toBe(2);
    expect(await store.call('info', { section: 'keyspace' })).toContain('db5:keys=2');
    expect(await store.call('info')).not.toContain('db0:');
    await store.call('flushdb');
    expect(await store.call('randomkey')).toBe(null);
    expect(await other.call('get', { _id: 'session' })).toBe('secret');
    expect(await store.engine.describe()).toMatchObject({ type: 'redis', mode: 'standalone' });
    await store.close();
    await other.close();
    await server.close();
  });

  it('bounds blocking actions and ends them with their connection (MEM-40, MEM-41)', async () => {
    const server = await startRedis();
    const store = await openMemoryStore(redisEngine(server.url), { maxBlockedCalls: 2 });
    const wait = (key: string, connectionId: string) =>
      store.outcome('blpop', { _id: key, body: { timeout: 5 } }, connectionId);
    const [first, second] = [wait('q1', 'a'), wait('q2', 'b')];
    expect(await wait('q3', 'c')).toMatchObject({ status: 503, id: 'memory.unavailable' });
    await untilWaiting(store, 2);
    const connection = { id: 'a', protocol: 'test', remoteAddress: '' };
    store.hooks.emit('connection.closed', { connection });
    expect(await first).toMatchObject({ status: 503 });
    await store.call('rpush', { _id: 'q2', body: { value: 'x' } });
    expect(await second).toEqual(['q2', 'x']);
    await store.close();
    await server.close();
  });
});
