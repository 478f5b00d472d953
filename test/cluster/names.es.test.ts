import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localAuth } from '@millrace/auth-local';
import { silentLogger, type JsonObject } from '@millrace/kernel';
import { Kernel } from '@millrace/server';
import { freePort, startRedis, type StartedRedis } from '../memory/startRedis.js';
import { MemoryProtocol, type MemoryClient } from '../realtime/MemoryProtocol.js';
import { hasElasticsearch, NODE, removeIndexes, testConfig } from '../storage/openElasticsearch.js';

const AT = { index: 'shop', collection: 'sales' };

const FORMS = ['in a cluster', 'on one server'];

describe.skipIf(!hasElasticsearch()).each(FORMS)('named subscriptions on Elasticsearch, %s (LOG-16)', (form) => {
  const { prefix } = testConfig();
  let redis: StartedRedis | undefined;
  let dataDir: string;
  let shared: JsonObject = {};
  let kernel: Kernel;
  let protocol: MemoryProtocol;
  let jwt: string;

  const start = async () => {
    protocol = new MemoryProtocol();
    kernel = new Kernel({
      plugins: [protocol.plugin, localAuth()],
      logger: silentLogger,
      config: {
        http: { port: 0 },
        server: { dataDir },
        storage: { engine: 'elasticsearch', elasticsearch: { node: NODE, prefix } },
        ...shared,
      },
    });
    await kernel.start();
  };
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'millrace-names-'));
    if (form === 'in a cluster') {
      redis = await startRedis(await freePort());
      const { url } = redis;
      shared = { memoryStore: { engine: 'redis', redis: { url } }, cluster: { enabled: true, redis: { url } } };
    }
    await start();
    const client = protocol.connect();
    const body = { _id: 'ada', password: 'Long-enough-pass-1' };
    await client.request({ controller: 'security', action: 'createFirstAdmin', body });
    const credentials = { strategy: 'local', username: 'ada', password: body.password };
    const login = await client.request({ controller: 'auth', action: 'login', body: credentials });
    ({ jwt } = login.result as { readonly jwt: string });
  }, 120_000);
  afterAll(async () => {
    await kernel.stop();
    await redis?.close();
    await removeIndexes(prefix);
    await rm(dataDir, { recursive: true, force: true });
  });

  const ask = async (client: MemoryClient, action: string, fields: JsonObject = {}) => {
    const { error, result } = await client.request({ controller: 'realtime', action, jwt, ...fields });
    expect(error).toBeNull();
    return result as JsonObject;
  };

  it('are stored, listed, resumed by a restarted node, and removed (RESUME-41, RESUME-46)', async () => {
    const first = protocol.connect();
    const subscription = { ...AT, body: { equals: { colour: 'red' } }, name: 'till' };
    const { cursor } = await ask(first, 'subscribe', subscription);
    await ask(first, 'ack', { name: 'till', cursor: cursor as string });
    const listed = { ...AT, name: 'till', filter: subscription.body, cursor };
    expect(await ask(first, 'listNames')).toMatchObject({ names: [listed] });
    const create = (_id: string) =>
      first.request({ controller: 'document', action: 'create', ...AT, _id, body: { colour: 'red' }, jwt });
    expect((await create('a')).error).toBeNull();
    await kernel.stop();
    await start();
    const second = protocol.connect();
    const resumed = await ask(second, 'subscribe', subscription);
    expect(resumed).toMatchObject({ name: 'till', resumed: true });
    const heard = () => second.heard(resumed.channel as string);
    await expect.poll(heard, { timeout: 30_000 }).toEqual(['create in a', 'resumed']);
    await ask(second, 'deleteName', { name: 'till' });
    expect(await ask(second, 'listNames')).toEqual({ names: [] });
  }, 120_000);
});
