import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StorageEngine, WriteOperation } from '@millrace/kernel';
import { parseMapping, parseSearch } from '@millrace/query';
import { discard, hasElasticsearch, NODE, startEngine, testConfig } from './openElasticsearch.js';
import { UnreliableProxy } from './UnreliableProxy.js';

const THINGS = { index: 'outage', collection: 'things' };
const put = (id: string): WriteOperation => ({
  ...THINGS,
  kind: 'put',
  id,
  source: { id },
  condition: 'absent',
});

describe.skipIf(!hasElasticsearch())('ElasticsearchEngine in an outage', () => {
  let proxy: UnreliableProxy;
  let engine: StorageEngine;
  let config: ReturnType<typeof testConfig>;

  beforeEach(async () => {
    proxy = new UnreliableProxy(new URL(NODE));
    await proxy.appear();
    config = testConfig({ node: proxy.url });
    engine = await startEngine(config);
    await engine.createCollection(THINGS, parseMapping({ properties: {} }));
  });
  afterEach(async () => {
    await discard(engine, { ...config, node: NODE });
    await proxy.vanish();
  });

  const calls = (): readonly (() => unknown)[] => [
    () => engine.ping(),
    () => engine.read(THINGS, 'a'),
    () => engine.write([put('x')], false),
    () => engine.write([put('y')], true),
    () => engine.search(THINGS, parseSearch({})),
    () => engine.count(THINGS, parseSearch({}).query),
    () => engine.listIndexes(),
    () => engine.createIndex('other'),
    () => engine.getMapping(THINGS),
  ];

  async function expectUnavailable(): Promise<void> {
    const results = await Promise.allSettled(calls().map(async (call) => call()));
    const ids = results.map((result) => (result as { reason?: { id?: string } }).reason?.id);
    expect(new Set(ids)).toEqual(new Set(['storage.unavailable']));
  }

  it('answers storage.unavailable while Elasticsearch is away, and recovers by itself', async () => {
    await engine.write([put('a')], true);
    await proxy.vanish();
    await expectUnavailable();
    await proxy.appear();
    expect(await engine.read(THINGS, 'a')).toMatchObject({ version: 1 });
    expect(await engine.write([put('b')], true)).toMatchObject([{ status: 'created', version: 1 }]);
    expect(await engine.count(THINGS, parseSearch({}).query)).toBe(2);
  });

  it('answers storage.unavailable if Elasticsearch takes requests and never answers', async () => {
    proxy.isDeaf = true;
    await expectUnavailable();
    proxy.isDeaf = false;
    await proxy.vanish();
    await proxy.appear();
    expect(await engine.read(THINGS, 'a')).toBeNull();
  });

  it('rides over an outage shorter than its patience', async () => {
    const patient = await startEngine({ ...config, retryMs: 60_000 });
    await proxy.vanish();
    const reading = patient.count(THINGS, parseSearch({}).query);
    const writing = patient.write([put('c')], false);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await proxy.appear();
    expect(await writing).toMatchObject([{ status: 'created', version: 1 }]);
    expect(await reading).toBeTypeOf('number');
    await patient.stop();
  });

  it('loses no acknowledged write when connections are cut under load', async () => {
    const acknowledged: string[] = [];
    let isOver = false;
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let n = 0; !isOver; n += 1) {
        const id = `${writer}-${n}`;
        const outcomes = await engine.write([put(id)], false).catch(() => []);
        if (outcomes[0]?.status === 'created') acknowledged.push(id);
      }
    });
    for (let cut = 0; cut < 3; cut += 1) {
      const before = acknowledged.length;
      await expect.poll(() => acknowledged.length).toBeGreaterThan(before);
      await proxy.vanish();
      await proxy.appear();
    }
    isOver = true;
    await Promise.all(writers);
    const found = await engine.readMany(THINGS, acknowledged);
    expect(found.every((each) => each?.version === 1)).toBe(true);
  });

  it('fails to start in one line that names the cause', async () => {
    await proxy.vanish();
    await expect(startEngine({ ...config, startTimeoutMs: 500, retryMs: 100 })).rejects.toThrow(
      // Clients receive it too, so that it has no address.
      /storage is unavailable: Elasticsearch can't be reached \(ECONNREFUSED\)$/,
    );
    await proxy.appear();
  });
});
