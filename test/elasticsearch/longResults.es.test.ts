/*
 * Long results are converted and written in several turns of the event loop: other requests are answered in between.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definePlugin, type JsonObject, type StorageEngine, type WriteOperation } from '@millrace/kernel';
import { parseMapping } from '@millrace/query';
import { MemoryProtocol } from '../realtime/MemoryProtocol.js';
import { startKernel, type StartedKernel } from '../startKernel.js';
import { discard, hasElasticsearch, startEngine, testConfig } from '../storage/openElasticsearch.js';

const THINGS = { index: 'long', collection: 'things' };
const COUNT = 10_000;
const PART_COUNT = 20;
/** Documents with many parts. */
const LONG_COUNT = 600;

function put(n: number): WriteOperation {
  const text = 'some words here '.repeat(n < LONG_COUNT ? 120 : 1);
  const parts = Array.from({ length: n < LONG_COUNT ? PART_COUNT : 1 }, () => ({ text }));
  const source = { tag: `tag-${n}`, n, parts };
  return { ...THINGS, kind: 'put', id: `d${n}`, source, condition: 'absent' };
}

describe.skipIf(!hasElasticsearch())('long results from Elasticsearch', () => {
  const config = testConfig({ costlySearchTimeoutMs: 30_000 });
  const protocol = new MemoryProtocol();
  let engine: StorageEngine;
  let server: StartedKernel;
  /** Runs when the engine has returned a result. */
  let onResult = (): void => undefined;

  beforeAll(async () => {
    engine = await startEngine(config);
    const parts = { type: 'nested', properties: { text: { type: 'text' } } };
    const properties = { tag: { type: 'keyword' }, n: { type: 'integer' }, parts };
    await engine.createCollection(THINGS, parseMapping({ properties }));
    for (let start = 0; start < COUNT; start += 1_000) {
      await engine.write(
        Array.from({ length: 1_000 }, (_, i) => put(start + i)),
        true,
      );
    }
    const observed = new Proxy(engine, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name === 'start' || name === 'stop') return () => Promise.resolve();
        if (name !== 'search') return typeof value === 'function' ? (value.bind(target) as unknown) : value;
        return async (...given: Parameters<StorageEngine['search']>) => {
          const outcome = await target.search(...given);
          onResult();
          return outcome;
        };
      },
    });
    const plugin = definePlugin({
      name: 'observed-engine',
      kernel: '^0.1.0',
      setup: (host) => host.engine('storage', 'observed', () => observed),
    });
    const plugins = [plugin, protocol.plugin];
    server = await startKernel({ config: { storage: { engine: 'observed' } }, plugins });
  }, 120_000);
  afterAll(async () => {
    await server.close();
    await discard(engine, config);
  });

  const stats = Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`s${n}`, { stats: { field: 'n' } }]));
  const searches: Record<string, JsonObject> = {
    'buckets with metrics': {
      size: 0,
      aggs: { tags: { terms: { field: 'tag', size: COUNT }, aggs: stats } },
    },
    'keyed buckets below other aggregations': {
      size: 0,
      aggs: {
        all: {
          filter: { match_all: {} },
          aggs: { n: { histogram: { field: 'n', interval: 1, keyed: true }, aggs: stats } },
        },
      },
    },
    'hits with inner hits': {
      size: 1_000,
      query: {
        nested: {
          path: 'parts',
          query: { match: { 'parts.text': 'words' } },
          inner_hits: { size: PART_COUNT },
        },
      },
    },
  };
  for (const [title, body] of Object.entries(searches)) {
    it(`answers another request while it writes ${title}`, async () => {
      const answered: string[] = [];
      const client = protocol.connect();
      const ask = async (name: string, fields: JsonObject) => {
        const { status } = await client.request(fields);
        answered.push(`${name} ${status}`);
      };
      let other: Promise<void> | undefined;
      onResult = () => {
        onResult = () => undefined;
        setImmediate(() => {
          other = ask('other', { controller: 'server', action: 'now' });
        });
      };
      await ask('search', { controller: 'document', action: 'search', ...THINGS, body });
      await other;
      expect(answered).toEqual(['other 200', 'search 200']);
      client.close();
    }, 60_000);
  }
});
