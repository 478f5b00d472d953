import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';
import { expect } from '../runner/expect.js';
import type { TestRunner } from '../runner/TestRunner.js';
import { collectionStories } from './collectionStories.js';
import type { MemoryStoreCall } from './MemoryStoreCall.js';
import { specialStories } from './specialStories.js';
import { stringStories } from './stringStories.js';

/** A memory store under test: started and empty. */
export interface OpenedMemoryStore {
  /** Runs an action on a persistent connection; rejects with its error. */
  call(action: string, fields?: JsonObject, connectionId?: string): Promise<JsonValue>;
  close(): Promise<void>;
}

/**
 * The rules of docs/reference/memory-store.md as tests (MEM-2, MEM-10, MEM-11, MEM-12, MEM-20, MEM-22, MEM-30, MEM-41,
 * MEM-51): every engine, shipped or a plugin's, runs it.
 * @param name shown in the test titles
 * @param open returns a new, empty store for each test: `openMemoryStore` for the engine of a plugin
 * @param runner `import * as runner from 'vitest'`, or from `'node:test'`
 */
export function describeMemoryStore(name: string, open: () => Promise<OpenedMemoryStore>, runner: TestRunner): void {
  const { describe, it, beforeEach, afterEach } = runner;
  describe(`the memory store over ${name}`, () => {
    let store: OpenedMemoryStore;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    const refused = (action: string, fields: JsonObject, connectionId?: string) =>
      store.call(action, fields, connectionId).then(
        (result) => `not refused: ${JSON.stringify(result)}`,
        (error: Error) => error.message,
      );
    const make = async ([action, fields, expected]: MemoryStoreCall) => {
      const what = `${action} ${JSON.stringify(fields)}`;
      if (isJsonObject(expected) && typeof expected['refused'] === 'string')
        return expect(await refused(action, fields), what).toContain(expected['refused']);
      const result = await store.call(action, fields);
      if (isJsonObject(expected) && 'unordered' in expected)
        return expect([...(result as string[])].sort(), what).toEqual([...(expected['unordered'] as string[])].sort());
      expect(result, what).toEqual(expected);
    };

    /** Until at least so many blocking calls wait, as `info` of the clients shows. */
    const untilWaiting = async (count: number) => {
      for (;;) {
        const info = (await store.call('info', { section: 'clients' })) as string;
        if (Number(/blocked_clients:(\d+)/.exec(info)?.[1]) >= count) return;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };

    for (const [title, calls] of [...stringStories, ...collectionStories, ...specialStories]) {
      it(title, async () => {
        for (const call of calls) await make(call);
      });
    }

    it('carries a key as base64 and takes no other bytes (MEM-23)', async () => {
      await store.call('zadd', { _id: 'z', body: { score: 1.5, member: 'é' } });
      const content = (await store.call('dump', { _id: 'z' })) as string;
      expect(content).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
      expect(await store.call('restore', { _id: 'y', body: { ttl: 60000, content } })).toBe('OK');
      expect(await store.call('zrange', { _id: 'y', start: 0, stop: -1, withscores: true })).toEqual(['é', '1.5']);
      expect(await store.call('ttl', { _id: 'y' })).toBe(60);
      const again = await refused('restore', { _id: 'y', body: { ttl: 0, content } });
      expect(again).toBe('BUSYKEY Target key name already exists.');
      const damaged = Buffer.from(content, 'base64');
      damaged.writeUInt8(damaged.readUInt8(5) ^ 1, 5);
      const bad = { ttl: 0, content: damaged.toString('base64') };
      expect(await refused('restore', { _id: 'x', body: bad })).toBe('ERR DUMP payload version or checksum are wrong');
      expect(await refused('restore', { _id: 'x', body: { ttl: 0, content: '*' } })).toContain('"content"');
    });

    it('lets a caller wait for an element, and no longer than asked (MEM-40, MEM-41)', async () => {
      const startedMs = performance.now();
      expect(await store.call('blpop', { _id: 'q', body: { timeout: 0.2 } })).toBe(null);
      expect(performance.now() - startedMs).toBeGreaterThanOrEqual(190);
      const waiting = store.call('brpop', { _id: 'other', body: { src: ['q'], timeout: 5 } }, 'a');
      const stream = store.call('xread', { body: { streams: { s: '$' }, block: 5000 } }, 'b');
      await untilWaiting(2);
      await store.call('rpush', { _id: 'q', body: { values: ['x', 'y'] } }, 'c');
      expect(await waiting).toEqual(['q', 'y']);
      await store.call('xadd', { _id: 's', body: { id: '1-1', field: 'f', value: 'v' } }, 'c');
      expect(await stream).toEqual([['s', [['1-1', ['f', 'v']]]]]);
      expect(await refused('blpop', { _id: 'q', body: { timeout: -1 } })).toContain('"timeout"');
      expect(await refused('blpop', { _id: 'q', body: {} })).toContain('"timeout"');
    });

    it('serves a caller who waits by the key that is ready first, whatever the others hold (MEM-40, MEM-41)', async () => {
      const first = store.call('blpop', { _id: 'k2', body: { src: ['k1'], timeout: 5 } }, 'a');
      await untilWaiting(1);
      await store.call('set', { _id: 'k2', body: { value: 'text' } }, 'c');
      await store.call('rpush', { _id: 'k1', body: { value: 'v' } }, 'c');
      expect(await first).toEqual(['k1', 'v']);
      const body = { keys: ['n1', 'n2'], where: 'LEFT', count: 2, timeout: 5 };
      const second = store.call('blmpop', { body }, 'a');
      await untilWaiting(1);
      await store.call('multi', {}, 'c');
      await store.call('rpush', { _id: 'n2', body: { values: [1, 2, 3] } }, 'c');
      await store.call('rpush', { _id: 'n1', body: { value: 9 } }, 'c');
      await store.call('exec', {}, 'c');
      expect(await second).toEqual(['n2', ['1', '2']]);
      const toText = { source: 's', destination: 'k2', timeout: 5 };
      const third = refused('brpoplpush', { body: toText }, 'a');
      await untilWaiting(1);
      await store.call('rpush', { _id: 's', body: { value: 'x' } }, 'c');
      expect(await third).toContain('WRONGTYPE');
      expect(await store.call('lrange', { _id: 's', start: 0, stop: -1 })).toEqual(['x']);
    });

    it('runs transactions of one connection as one (MEM-50, MEM-51)', async () => {
      await store.call('multi', {}, 'a');
      expect(await store.call('set', { _id: 'k', body: { value: 1 } }, 'a')).toBe('QUEUED');
      expect(await store.call('hmset', { _id: 'h', body: { values: { f: 'v' } } }, 'a')).toBe('QUEUED');
      expect(await store.call('hgetall', { _id: 'h' }, 'a')).toBe('QUEUED');
      expect(await store.call('lpush', { _id: 'k', body: { value: 1 } }, 'a')).toBe('QUEUED');
      expect(await store.call('blpop', { _id: 'none', body: { timeout: 9 } }, 'a')).toBe('QUEUED');
      expect(await store.call('get', { _id: 'k' }, 'b')).toBe(null);
      expect(await refused('multi', {}, 'a')).toBe('ERR MULTI calls can not be nested');
      expect(await refused('watch', { keys: ['k'] }, 'a')).toBe('ERR WATCH inside MULTI is not allowed');
      const message = 'WRONGTYPE Operation against a key holding the wrong kind of value';
      expect(await store.call('exec', {}, 'a')).toEqual([
        'OK',
        'OK',
        { f: 'v' },
        { error: { status: 400, message } },
        null,
      ]);
      expect(await refused('exec', {}, 'a')).toBe('ERR EXEC without MULTI');
      expect(await refused('discard', {}, 'a')).toBe('ERR DISCARD without MULTI');
    });

    it('gives null where a watched key has changed, and discards what was refused (MEM-50, MEM-51)', async () => {
      await store.call('watch', { keys: ['w'] }, 'a');
      await store.call('multi', {}, 'a');
      await store.call('set', { _id: 't', body: { value: 1 } }, 'a');
      await store.call('set', { _id: 'w', body: { value: 1 } }, 'b');
      expect(await store.call('exec', {}, 'a')).toBe(null);
      expect(await store.call('exists', { _id: 't' }, 'a')).toBe(0);
      await store.call('watch', { keys: ['w'] }, 'a');
      await store.call('unwatch', {}, 'a');
      await store.call('set', { _id: 'w', body: { value: 2 } }, 'b');
      await store.call('multi', {}, 'a');
      await store.call('get', { _id: 'w' }, 'a');
      expect(await store.call('exec', {}, 'a')).toEqual(['2']);
      await store.call('multi', {}, 'a');
      expect(await refused('save', {}, 'a')).toBe('ERR Command not allowed inside a transaction');
      expect(await refused('exec', {}, 'a')).toBe('EXECABORT Transaction discarded because of previous errors.');
    });

    it('has no transactions over HTTP (MEM-50, MEM-51)', async () => {
      for (const action of ['multi', 'exec', 'discard', 'watch', 'unwatch'])
        expect(await refused(action, { keys: ['x'] }, 'http-1')).toContain('HTTP has no transactions');
    });

    it('tells the time, the last save and about the store', async () => {
      const [seconds, micros] = (await store.call('time')) as [string, string];
      expect(Math.abs(Number(seconds) * 1000 - Date.now())).toBeLessThan(60_000);
      expect(micros).toMatch(/^\d{1,6}$/);
      expect(Number.isInteger(await store.call('lastsave'))).toBe(true);
      expect(await store.call('info')).toMatch(/^# Server\r\nredis_version:/);
      expect(await store.call('info', { section: 'memory' })).toMatch(/^# Memory\r\n/);
    });
  });
}
