import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger, type Logger } from '@millrace/kernel';
import { Kernel } from '@millrace/server';
import { eventually } from '../cluster/openNodes.js';
import { hasElasticsearch, NODE, startEngine, discard, testConfig } from './openElasticsearch.js';
import { UnreliableProxy } from './UnreliableProxy.js';

describe.skipIf(!hasElasticsearch())('a server whose Elasticsearch is away', () => {
  const lines: string[] = [];
  const note = (_: unknown, message?: string) => void lines.push(message ?? '');
  const logger: Logger = { ...silentLogger, info: note, warn: note, child: () => logger };
  let proxy: UnreliableProxy;
  let config: ReturnType<typeof testConfig>;
  let dataDir: string;
  let kernel: Kernel;
  let url: string;

  beforeEach(async () => {
    lines.length = 0;
    proxy = new UnreliableProxy(new URL(NODE));
    await proxy.appear();
    config = testConfig({ node: proxy.url });
    dataDir = await mkdtemp(join(tmpdir(), 'millrace-away-'));
    kernel = new Kernel({
      logger,
      config: {
        http: { port: 0 },
        server: { dataDir },
        storage: { engine: 'elasticsearch', elasticsearch: { node: proxy.url, prefix: config.prefix } },
      },
    });
    url = (await kernel.start()).find((each) => each.url.startsWith('http'))?.url ?? '';
  });
  afterEach(async () => {
    await kernel.stop();
    await proxy.vanish();
    await rm(dataDir, { recursive: true, force: true });
    const direct = { ...config, node: NODE };
    await discard(await startEngine(direct), direct);
  });

  const presence = () => lines.filter((line) => /^Elasticsearch is (away|back)$/.test(line));
  const health = async () => {
    const { status, error } = (await (await fetch(`${url}/_healthCheck`)).json()) as {
      status: number;
      error: { id: string; details?: unknown } | null;
    };
    return { status, id: error?.id, details: error?.details };
  };

  it('says so in its health check, open as it is, and in one line of its log (HEALTH-5, HEALTH-6)', async () => {
    await proxy.vanish();
    expect(await health()).toMatchObject({
      status: 503,
      id: 'core.unhealthy',
      details: { state: 'down', services: { storage: { state: 'down' }, memoryStorage: { state: 'up' } } },
    });
    const asked = await fetch(`${url}/shop/things/_search`, { method: 'POST' });
    expect(asked.status).toBe(503);
    await eventually(presence, ({ length }) => length > 0);
    await health();
    await proxy.appear();
    // No request notices it.
    await eventually(presence, ({ length }) => length > 1);
    expect(await health()).toMatchObject({ status: 200 });
    expect(presence()).toEqual(['Elasticsearch is away', 'Elasticsearch is back']);
  });
});
