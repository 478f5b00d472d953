/* A server that doesn't move: nothing of a move is between the services and the engine. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, type JsonObject, type StorageEngine } from '@millrace/kernel';
import { Kernel } from '@millrace/server';
import { SqliteEngine } from '@millrace/storage-sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EngineInUse } from '../../packages/server/src/modules/EngineInUse.js';
import { MovableStore } from './openMove.js';

const AT = { index: 'shop', collection: 'orders' };
const TO = { to: 'elasticsearch', node: '', verifyOnly: false } as const;

const prototype = SqliteEngine.prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
const originals = { write: prototype['write'], search: prototype['search'] };

/** The stack of each call of a method of the embedded engine. */
function watchCalls(method: keyof typeof originals): string[] {
  const stacks: string[] = [];
  prototype[method] = function (...args) {
    stacks.push(new Error().stack ?? '');
    return originals[method]?.apply(this, args);
  };
  return stacks;
}

afterEach(() => {
  Object.assign(prototype, originals);
});

describe('a server that does not move', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'millrace-direct-'));
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  it('MOVE-10: calls the engine directly', async () => {
    const writes = watchCalls('write');
    const searches = watchCalls('search');
    const kernel = new Kernel({ config: { http: { port: 0 }, server: { dataDir } }, logger: silentLogger });
    await kernel.start();
    try {
      const ask = async (fields: JsonObject) => expect(await kernel.execute(fields)).toMatchObject({ status: 200 });
      await ask({ ...AT, controller: 'collection', action: 'create' });
      writes.length = 0;
      searches.length = 0;
      await ask({ ...AT, controller: 'document', action: 'create', body: { n: 1 } });
      await ask({ ...AT, controller: 'document', action: 'search', body: {} });
      expect([writes.length, searches.length]).toEqual([1, 1]);
      for (const stack of [...writes, ...searches]) {
        const [, , caller] = stack.split('\n    at ');
        expect(caller).toContain('/packages/storage/');
        expect(stack).not.toMatch(/packages\/move\/src|EngineInUse|FollowedWrites/);
      }
    } finally {
      await kernel.stop();
    }
  });
});

describe('the engine in use', () => {
  let store: MovableStore;
  beforeEach(async () => {
    store = await MovableStore.create();
  });
  afterEach(() => store.remove());

  it('MOVE-10: has nothing of a move between it and its callers once a move has ended', async () => {
    const { engine, moves, target } = await store.open();
    const writes = watchCalls('write');
    const isFollowed = async () => {
      await engine.write([{ ...AT, kind: 'put', id: 'a', source: {}, condition: 'any' }], false);
      return writes.at(-1)?.includes('FollowedWrites') === true;
    };
    await engine.createCollection(AT, { dynamic: 'true', properties: new Map() } as never);
    expect(await isFollowed()).toBe(false);
    const tried = moves.begin({ ...TO, verifyOnly: true });
    await expect.poll(isFollowed).toBe(true);
    await tried;
    expect(await isFollowed()).toBe(false);
    await moves.begin(TO);
    expect(await isFollowed()).toBe(false);
    expect(writes.length).toBeGreaterThan(3);
    expect(await target().read(AT, 'a')).toEqual(await engine.read(AT, 'a'));
    await moves.stop();
  });

  it('passes the number of searches on, and the listener to each engine', () => {
    const engineOf = (maxSearches: number) => {
      const listeners: (() => void)[] = [];
      const engine = { maxSearches, watchMaxSearches: (listener: () => void) => void listeners.push(listener) };
      return { engine: engine as unknown as StorageEngine, listeners };
    };
    const [first, second] = [engineOf(2), engineOf(5)];
    const inUse = new EngineInUse(first.engine);
    const listener = () => undefined;
    inUse.registered.watchMaxSearches?.(listener);
    expect(inUse.registered.maxSearches).toBe(2);
    inUse.use(second.engine);
    inUse.use(second.engine, second.engine);
    expect(inUse.registered.maxSearches).toBe(5);
    expect([first.listeners, second.listeners]).toEqual([[listener], [listener]]);
    expect(inUse.registered.health).toBeUndefined();
  });
});
