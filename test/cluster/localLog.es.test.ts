import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLogger, type JsonObject } from '@millrace/kernel';
import { Kernel } from '@millrace/server';
import { freePort, hasRedis, startRedis, type StartedRedis } from '../memory/startRedis.js';
import { hasElasticsearch, NODE, removeIndexes, testConfig } from '../storage/openElasticsearch.js';

const AT = { index: 'shop', collection: 'sales' };

describe.skipIf(!hasRedis() || !hasElasticsearch())('a server that is alone and in a cluster in turn', () => {
  const { prefix } = testConfig();
  let redis: StartedRedis;
  let dataDir: string;
  let alone: JsonObject;
  let clustered: JsonObject;

  beforeAll(async () => {
    redis = await startRedis(await freePort());
    dataDir = await mkdtemp(join(tmpdir(), 'millrace-alone-'));
    alone = {
      http: { port: 0 },
      server: { dataDir },
      storage: { engine: 'elasticsearch', elasticsearch: { node: NODE, prefix } },
    };
    const { url } = redis;
    clustered = {
      ...alone,
      memoryStore: { engine: 'redis', redis: { url } },
      cluster: { enabled: true, redis: { url: `${url}/1` } },
    };
  });
  afterAll(async () => {
    await redis.close();
    await removeIndexes(prefix);
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Runs a server, and returns what `use` does. */
  const within = async <T>(config: JsonObject, use: (ask: Ask) => Promise<T>): Promise<T> => {
    const kernel = new Kernel({ config, logger: silentLogger });
    await kernel.start();
    try {
      return await use(async (controller, action, fields = {}) => {
        const { error, result } = await kernel.execute({ controller, action, ...AT, ...fields });
        return { result: result as JsonObject, error: error as unknown as JsonObject | null };
      });
    } finally {
      await kernel.stop();
    }
  };
  type Ask = (
    controller: string,
    action: string,
    fields?: JsonObject,
  ) => Promise<{ readonly result: JsonObject; readonly error: JsonObject | null }>;

  const cursorOf = async (ask: Ask) => (await ask('realtime', 'changes')).result['cursor'] as string;
  const create = async (ask: Ask, _id: string) => {
    expect((await ask('document', 'create', { _id, body: {} })).error).toBe(null);
  };
  const gapAfter = async (ask: Ask, cursor: string) => {
    const { error } = await ask('realtime', 'changes', { cursor });
    return (error?.['details'] as JsonObject | undefined)?.['reason'];
  };

  it('sends a gap over the time in which it wrote the other log (LOG-16)', async () => {
    const local = await within(alone, async (ask) => {
      expect((await ask('collection', 'create', { body: {} })).error).toBe(null);
      const cursor = await cursorOf(ask);
      await create(ask, 'alone');
      return cursor;
    });
    const shared = await within(clustered, async (ask) => {
      const cursor = await cursorOf(ask);
      await create(ask, 'clustered');
      expect(await gapAfter(ask, local)).toBe('epoch_changed');
      return cursor;
    });
    await within(alone, async (ask) => {
      expect(await gapAfter(ask, local)).toBe('node_lost');
      const cursor = await cursorOf(ask);
      await create(ask, 'again');
      const { result } = await ask('realtime', 'changes', { cursor });
      expect(result['changes']).toMatchObject([{ result: { _id: 'again' } }]);
    });
    await within(clustered, async (ask) => {
      await expect.poll(() => gapAfter(ask, shared)).toBe('node_lost');
    });
  });
});
