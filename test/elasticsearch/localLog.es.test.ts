import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runMillrace, type MillraceProcess } from '../process/runMillrace.js';
import { hasElasticsearch, NODE, removeIndexes, startEngine, testConfig } from '../storage/openElasticsearch.js';
import { UnreliableProxy } from '../storage/UnreliableProxy.js';
import { EventReader } from '../wire/clients/EventReader.js';

interface Poll {
  readonly status: number;
  readonly result: {
    readonly changes: readonly { readonly result: { readonly _id: string } }[];
    readonly cursor: string;
  };
  readonly error: { readonly details: { readonly reason: string; readonly cursor: string } };
}

const canMount = process.platform === 'linux' && process.getuid?.() === 0;

describe.skipIf(!hasElasticsearch())('the change log of one server on Elasticsearch', () => {
  let prefix: string;
  let folder: string;
  let running: MillraceProcess[];

  beforeEach(() => {
    ({ prefix } = testConfig());
    folder = mkdtempSync(join(tmpdir(), 'millrace-local-log-'));
    running = [];
  });
  afterEach(async () => {
    for (const { signal, ended } of running) {
      signal('SIGKILL');
      await ended;
    }
    await removeIndexes(prefix);
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(dataDir = join(folder, 'data'), node = NODE) {
    const args = ['--http.port', '0', '--server.dataDir', dataDir, '--storage.engine', 'elasticsearch'];
    const elasticsearch = ['--storage.elasticsearch.node', node, '--storage.elasticsearch.prefix', prefix];
    const server = runMillrace(folder, [...args, ...elasticsearch]);
    running.push(server);
    const url = await server.listening;
    const ask = async (method: string, path: string, body?: object) => {
      const init = { method, headers: { 'content-type': 'application/json' } };
      return fetch(url + path, body === undefined ? init : { ...init, body: JSON.stringify(body) });
    };
    return {
      url,
      output: server.output,
      create: async (collection: string) => {
        await ask('PUT', '/shop');
        expect((await ask('PUT', `/shop/${collection}`, {})).status).toBe(200);
      },
      // It reads nothing before.
      make: (collection: string, id: string) => ask('POST', `/shop/${collection}/${id}/_create`, { id }),
      put: async (collection: string, id: string) => (await ask('PUT', `/shop/${collection}/${id}`, { id })).status,
      poll: async (collection: string, cursor?: string) => {
        const query = cursor === undefined ? '' : `?cursor=${cursor}`;
        return (await (await ask('GET', `/shop/${collection}/_changes${query}`)).json()) as Poll;
      },
      end: async (name: 'SIGTERM' | 'SIGKILL') => {
        server.signal(name);
        await server.ended;
      },
    };
  }
  type Server = Awaited<ReturnType<typeof start>>;

  const idsAfter = async (server: Server, collection: string, cursor: string) => {
    const { result, error } = await server.poll(collection, cursor);
    return error === null ? result.changes.map(({ result: { _id } }) => _id) : error.details.reason;
  };

  /** The position of a collection with a recorded change. */
  const begin = async (server: Server, collection: string) => {
    await server.create(collection);
    const { cursor } = (await server.poll(collection)).result;
    expect(await server.put(collection, 'first')).toBe(200);
    return cursor;
  };

  it('goes on after a restart and after a kill (LOG-16)', async () => {
    const first = await start();
    const cursor = await begin(first, 'sales');
    await first.end('SIGTERM');
    const second = await start();
    expect(await second.put('sales', 'second')).toBe(200);
    await second.end('SIGKILL');
    const third = await start();
    expect(await third.put('sales', 'third')).toBe(200);
    expect(await idsAfter(third, 'sales', cursor)).toEqual(['first', 'second', 'third']);
  });

  it('has a gap in the collection whose write was made when the process was killed (LOG-16)', async () => {
    const proxy = new UnreliableProxy(new URL(NODE));
    await proxy.appear();
    const first = await start(undefined, proxy.url);
    const [sales, returns] = [await begin(first, 'sales'), await begin(first, 'returns')];
    proxy.isMute = true;
    void first.make('sales', 'dying').catch(() => undefined);
    const engine = await startEngine(testConfig({ prefix }));
    await expect.poll(() => engine.read({ index: 'shop', collection: 'sales' }, 'dying')).toMatchObject({ version: 1 });
    await engine.stop();
    await first.end('SIGKILL');
    await proxy.vanish();
    const second = await start();
    await expect.poll(() => idsAfter(second, 'sales', sales)).toBe('node_lost');
    expect(await idsAfter(second, 'returns', returns)).toEqual(['first']);
    const { cursor } = (await second.poll('sales')).result;
    expect(await second.put('sales', 'next')).toBe(200);
    expect(await idsAfter(second, 'sales', cursor)).toEqual(['next']);
  });

  it('has another epoch if its file is lost (LOG-16)', async () => {
    const first = await start();
    const cursor = await begin(first, 'sales');
    await first.end('SIGTERM');
    rmSync(join(folder, 'data', 'millrace.changes.db'));
    const second = await start();
    expect(await idsAfter(second, 'sales', cursor)).toBe('epoch_changed');
  });

  it('has a gap where another server has written (LOG-16)', async () => {
    const first = await start();
    const cursor = await begin(first, 'sales');
    await first.end('SIGTERM');
    const other = await start(join(folder, 'other'));
    expect(await other.put('sales', 'elsewhere')).toBe(200);
    await other.end('SIGTERM');
    const again = await start();
    await expect.poll(() => idsAfter(again, 'sales', cursor)).toBe('node_lost');
    const { cursor: next } = (await again.poll('sales')).result;
    await again.end('SIGTERM');
    const last = await start();
    expect(await last.put('sales', 'last')).toBe(200);
    expect(await idsAfter(last, 'sales', next)).toEqual(['last']);
  });

  it('starts while Elasticsearch refuses writes, and has the gap at the next start too (LOG-16)', async () => {
    const block = async (isBlocked: boolean | null) => {
      const init = { method: 'PUT', headers: { 'content-type': 'application/json' } };
      const body = JSON.stringify({ 'index.blocks.write': isBlocked });
      expect((await fetch(`${NODE}/${prefix}*/_settings`, { ...init, body })).status).toBe(200);
    };
    const first = await start();
    const cursor = await begin(first, 'sales');
    await first.end('SIGTERM');
    const other = await start(join(folder, 'other'));
    await other.end('SIGTERM');
    await block(true);
    const blocked = await start();
    await expect.poll(() => idsAfter(blocked, 'sales', cursor)).toBe('node_lost');
    const { cursor: next } = (await blocked.poll('sales')).result;
    await blocked.end('SIGTERM');
    await block(null);
    const last = await start();
    await expect.poll(() => idsAfter(last, 'sales', next)).toBe('node_lost');
    expect(await last.put('sales', 'recorded')).toBe(200);
  });

  it('is absent while its file can not be opened, which a later start notices (LOG-16)', async () => {
    const file = join(folder, 'data', 'millrace.changes.db');
    const first = await start();
    const cursor = await begin(first, 'sales');
    await first.end('SIGTERM');
    renameSync(file, `${file}.aside`);
    mkdirSync(file);
    const second = await start();
    expect(second.output()).toContain('there is no change log, so subscriptions are not resumed');
    expect(await second.put('sales', 'unrecorded')).toBe(200);
    expect(await idsAfter(second, 'sales', cursor)).toBe('not_recorded');
    await second.end('SIGTERM');
    rmdirSync(file);
    renameSync(`${file}.aside`, file);
    const third = await start();
    await expect.poll(() => idsAfter(third, 'sales', cursor)).toBe('node_lost');
    const { cursor: next } = (await third.poll('sales')).result;
    expect(await third.put('sales', 'recorded')).toBe(200);
    expect(await idsAfter(third, 'sales', next)).toEqual(['recorded']);
  });

  it.runIf(canMount)('has a gap where its disk was full, and writes go on (LOG-16)', async (context) => {
    const dataDir = join(folder, 'disk');
    mkdirSync(dataDir);
    const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', dataDir]);
    if (mount.status !== 0) return context.skip('nothing may be mounted here');
    try {
      const server = await start(dataDir);
      const cursor = await begin(server, 'sales');
      const reader = await EventReader.open(`${server.url}/shop/sales/_subscribe`);
      await reader.until('subscribed');
      const { bavail, bsize } = statfsSync(dataDir);
      writeFileSync(join(dataDir, 'filler'), new Uint8Array(bavail * bsize));
      for (let n = 0; !server.output().includes('the file of the change log can not be written'); n++)
        expect(await server.put('sales', `full-${n}`)).toBe(200);
      expect(await server.put('sales', 'unrecorded')).toBe(200);
      expect(await idsAfter(server, 'sales', cursor)).toBe('node_lost');
      const cursorOf = (id: string) => {
        const found = reader.data('message').find(({ result }) => (result as { readonly _id?: string })._id === id);
        return found && (found['cursor'] ?? null);
      };
      await expect.poll(() => cursorOf('unrecorded')).toBe(null);
      expect(reader.data('gap')).toEqual([]);
      rmSync(join(dataDir, 'filler'));
      const [gap] = await reader.until('gap');
      expect(gap).toMatchObject({ result: { reason: 'node_lost' } });
      await expect.poll(server.output).toContain('the file of the change log can be written again');
      expect(await idsAfter(server, 'sales', cursor)).toBe('node_lost');
      const { cursor: next } = (await server.poll('sales')).result;
      expect(await server.put('sales', 'recorded')).toBe(200);
      expect(await idsAfter(server, 'sales', next)).toEqual(['recorded']);
      // Another gap may follow within a second, and stands for what came before it (RESUME-21).
      const written = async () => {
        expect(await server.put('sales', 'live')).toBe(200);
        return cursorOf('live');
      };
      await expect.poll(written).toEqual(expect.any(String));
      reader.close();
      await server.end('SIGTERM');
    } finally {
      await sleep(100);
      spawnSync('umount', [dataDir]);
    }
  });
});
