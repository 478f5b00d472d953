/* Moves to a real Elasticsearch. The phases without it are in phases.test.ts. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { localAuth } from '@millrace/auth-local';
import { silentLogger, type JsonObject } from '@millrace/kernel';
import { Kernel } from '@millrace/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Delta, WireResult } from '../../packages/client/src/follow/Delta.js';
import { foldDelta } from '../../packages/client/src/follow/foldDelta.js';
import { MemoryProtocol } from '../realtime/MemoryProtocol.js';
import { discard, hasElasticsearch, NODE, startEngine, testConfig } from '../storage/openElasticsearch.js';

const AT = { index: 'shop', collection: 'orders' };
const MAPPING = { properties: { n: { type: 'integer' }, word: { type: 'keyword' } } };

interface Opened {
  readonly kernel: Kernel;
  ask(fields: JsonObject): Promise<JsonObject>;
}

describe.runIf(hasElasticsearch())('a move to Elasticsearch', () => {
  const { prefix } = testConfig();
  let protocol: MemoryProtocol;
  let dataDir: string;
  let opened: Opened;

  const open = async (storage: JsonObject = {}): Promise<Opened> => {
    protocol = new MemoryProtocol();
    const kernel = new Kernel({
      config: {
        http: { port: 0 },
        server: { dataDir },
        storage: { elasticsearch: { prefix, node: NODE }, ...storage },
      },
      logger: silentLogger,
      plugins: [localAuth(), protocol.plugin],
    });
    await kernel.start();
    const ask = async (fields: JsonObject) => {
      const { error, result } = await kernel.execute(fields);
      if (error !== null)
        throw Object.assign(new Error(JSON.stringify(error.message)), {
          id: error.id,
          status: error.status,
        });
      return result as JsonObject;
    };
    return { kernel, ask };
  };
  const move = async (fields: JsonObject) => {
    await opened.ask({ controller: 'server', action: 'move', ...fields });
    const state = () => opened.ask({ controller: 'server', action: 'moveState' });
    await expect
      .poll(async () => (await state())['state'], { timeout: 100_000, interval: 100 })
      .toMatch(/complete|failed/);
    return state();
  };
  const write = (action: string, _id: string, body: JsonObject) =>
    opened.ask({ ...AT, controller: 'document', action, _id, body });
  const search = async () => {
    await opened.ask({ controller: 'index', action: 'refresh', index: AT.index }).catch(() => undefined);
    const result = await opened.ask({
      ...AT,
      controller: 'document',
      action: 'search',
      size: 10_000,
    });
    const hits = result['hits'] as unknown as { _id: string; _source: JsonObject }[];
    return new Map(hits.map(({ _id, _source }) => [_id, _source['n']]));
  };

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'millrace-move-'));
    opened = await open();
    await opened.ask({ ...AT, controller: 'collection', action: 'create', body: MAPPING });
  });
  afterEach(async () => {
    await opened.kernel.stop();
    await rm(dataDir, { recursive: true, force: true });
    const config = testConfig({ prefix });
    await discard(await startEngine(config), config);
  });

  it('MOVE-1, MOVE-4, MOVE-5, MOVE-9: under load, with subscriptions; and back', async () => {
    const mirror = new Map<string, unknown>();
    const cursors: string[] = [];
    let changes = 0;
    await opened.kernel.subscribe({ ...AT, body: {}, mode: 'auto' } as never, (notification) => {
      const { action, result, cursor } = notification as never as {
        action: string;
        cursor?: string;
        result: { _id: string; _source: { n: number } };
      };
      changes += 1;
      if (cursor !== undefined) cursors.push(cursor);
      if (action === 'delete') mirror.delete(result._id);
      else mirror.set(result._id, result._source.n);
    });
    const goOn = async () => {
      const from = changes;
      await expect.poll(() => changes).toBeGreaterThan(from + 50);
    };
    let isOver = false;
    let writes = 0;
    const load = async () => {
      while (!isOver) {
        const id = `d${Math.floor(Math.random() * 500)}`;
        const n = writes++;
        await sleep(2);
        if (n % 10 === 0) await write('delete', id, {}).catch(ignoreAbsent);
        else await write('createOrReplace', id, { n, word: 'w' });
      }
    };
    const loads = Promise.all([load(), load(), load(), load()]);
    await goOn();
    const moved = await move({ to: 'elasticsearch' });
    expect(moved).toMatchObject({ engine: 'elasticsearch', state: 'complete' });
    await goOn();
    const [atSwitch] = cursors.slice(-1);
    await goOn();
    expect(cursors.at(-1)).toBe(atSwitch);
    const back = await move({ to: 'sqlite' });
    expect(back).toMatchObject({ engine: 'sqlite', state: 'complete' });
    await goOn();
    const again = await move({ to: 'elasticsearch' });
    expect(again).toMatchObject({ engine: 'elasticsearch', state: 'complete' });
    await goOn();
    isOver = true;
    await loads;
    expect([...cursors].sort()).toEqual(cursors);
    expect(new Set(cursors).size).toBe(cursors.length);
    expect(await search()).toEqual(mirror);
    expect(await move({ to: 'sqlite', verifyOnly: true })).toMatchObject({ state: 'complete' });
    const missed = opened.ask({ ...AT, controller: 'realtime', action: 'changes', cursor: atSwitch ?? '', body: {} });
    await expect(missed).rejects.toMatchObject({ id: 'realtime.gap', status: 410 });
  });

  it('MOVE-5: a followed search has the result of the search, before and after each switch', async () => {
    const client = protocol.connect();
    const followed = { size: 100, sort: [{ n: 'asc' }] };
    const answer = await client.request({ ...AT, controller: 'realtime', action: 'follow', body: followed });
    expect(answer).toMatchObject({ status: 200, result: { mode: 'incremental', total: 0 } });
    let known = answer.result as unknown as WireResult;
    let readCount = 0;
    const fold = () => {
      for (const { message } of client.received.slice(readCount)) {
        if (message.action !== 'followed') continue;
        const delta = message.result as unknown as Delta;
        expect(delta.base).toBe(known.cursor);
        known = foldDelta(known, delta);
      }
      readCount = client.received.length;
      return new Map(known.hits.map(({ _id, _source }) => [_id, (_source as JsonObject)['n']]));
    };
    const expectFollowed = async (step: number) => {
      await Promise.all(
        Array.from({ length: 10 }, (_, n) => write('createOrReplace', `d${step + n}`, { n: step * n, word: 'w' })),
      );
      await write('delete', `d${step}`, {});
      const expected = await search();
      await expect.poll(fold, { timeout: 60_000 }).toEqual(expected);
    };
    await expectFollowed(1);
    await move({ to: 'elasticsearch' });
    await expectFollowed(5);
    await expectFollowed(9);
    await move({ to: 'sqlite' });
    await expectFollowed(13);
    await expectFollowed(17);
    client.close();
  });

  it('MOVE-5, MOVE-7: restarts, and adopts the configuration', async () => {
    await opened.ask({
      controller: 'security',
      action: 'createFirstAdmin',
      _id: 'root',
      body: { password: 'secret secret' },
    });
    const login = await opened.ask({
      controller: 'auth',
      action: 'login',
      strategy: 'local',
      body: { username: 'root', password: 'secret secret' },
    });
    const jwt = login['jwt'] as string;
    const asRoot = (fields: JsonObject) => opened.ask({ ...fields, jwt });
    await asRoot({ ...AT, controller: 'document', action: 'create', _id: 'a', body: { n: 1 } });
    await asRoot({ controller: 'server', action: 'move', to: 'elasticsearch', node: NODE });
    await expect
      .poll(() => asRoot({ controller: 'server', action: 'moveState' }), { timeout: 100_000 })
      .toMatchObject({ state: 'complete' });
    const backup = { controller: 'server', action: 'backup' };
    await expect(asRoot(backup)).rejects.toMatchObject({ id: 'core.backup_refused', status: 412 });
    expect(JSON.parse(await readFile(join(dataDir, 'engine.json'), 'utf8'))).toMatchObject({
      phase: 'moved',
      node: NODE,
      prefix,
    });
    const restart = async (storage: JsonObject) => {
      await opened.kernel.stop();
      opened = await open(storage);
    };
    await restart({});
    expect(await asRoot({ controller: 'server', action: 'moveState' })).toMatchObject({
      engine: 'elasticsearch',
    });
    await asRoot({ ...AT, controller: 'document', action: 'create', _id: 'b', body: { n: 2 } });
    const wrong = { elasticsearch: { prefix, node: 'http://127.0.0.1:1' } };
    await expect(restart(wrong)).rejects.toThrow('says that the documents are at');
    const other = { elasticsearch: { prefix: 'other', node: NODE } };
    await expect(restart(other)).rejects.toThrow('prefix');
    await restart({ engine: 'elasticsearch', elasticsearch: { prefix, node: NODE } });
    const found = await asRoot({
      ...AT,
      controller: 'document',
      action: 'mGet',
      body: { ids: ['a', 'b'] },
    });
    expect((found['successes'] as unknown as object[]).length).toBe(2);
    await expect(asRoot({ controller: 'server', action: 'move', to: 'sqlite' })).rejects.toMatchObject({
      id: 'core.move_refused',
    });
    await expect(restart({})).rejects.toThrow('alone since');
    await restart({ engine: 'elasticsearch', elasticsearch: { prefix, node: NODE } });
  });

  it('MOVE-11: is cancelled while it copies and while it compares; writes during it are kept, and the next one moves', async () => {
    for (let from = 0; from < 40_000; from += 10_000) {
      const documents = Array.from({ length: 10_000 }, (_, n) => ({ _id: `d${from + n}`, body: { n: from + n } }));
      await opened.ask({ ...AT, controller: 'document', action: 'mCreate', body: { documents } });
    }
    const state = () => opened.ask({ controller: 'server', action: 'moveState' });
    const cancel = () => opened.ask({ controller: 'server', action: 'cancelMove' });
    await expect(cancel()).rejects.toMatchObject({ id: 'core.move_not_cancelled', status: 409 });
    for (const [phase, verifyOnly] of [
      ['copying', false],
      ['comparing', false],
      ['comparing', true],
    ] as const) {
      await opened.ask({ controller: 'server', action: 'move', to: 'elasticsearch', verifyOnly });
      const inPhase = async () => {
        const { state: now, documents } = await state();
        return now === phase && Number(documents) > 0;
      };
      await expect.poll(inPhase, { timeout: 100_000, interval: 5 }).toBe(true);
      const during = `${phase}-${verifyOnly}`;
      await write('create', during, { n: -1 });
      expect(await cancel()).toMatchObject({ engine: 'sqlite', state: 'cancelled' });
      expect(await state()).toMatchObject({ engine: 'sqlite', state: 'cancelled', to: 'elasticsearch' });
      await write('create', `after-${during}`, { n: -1 });
    }
    await expect(cancel()).rejects.toMatchObject({ id: 'core.move_not_cancelled' });
    expect(await move({ to: 'elasticsearch' })).toMatchObject({ engine: 'elasticsearch', state: 'complete' });
    await opened.ask({ controller: 'index', action: 'refresh', index: AT.index });
    expect(await opened.ask({ ...AT, controller: 'document', action: 'count', body: {} })).toEqual({ count: 40_006 });
    const kept = await opened.ask({ ...AT, controller: 'document', action: 'get', _id: 'copying-false' });
    expect(kept).toMatchObject({ _version: 1, _source: { n: -1 } });
  });

  it('MOVE-2: other data in Elasticsearch, or none to reach, changes nothing', async () => {
    const other = await startEngine(testConfig({ prefix }));
    await other.createIndex('other');
    await other.stop();
    const refused = await move({ to: 'elasticsearch' });
    expect(refused).toMatchObject({ engine: 'sqlite', state: 'failed' });
    expect(refused['reason']).toContain('another Millrace');
    await write('create', 'a', { n: 1 });
    expect((await search()).size).toBe(1);
  });
});

function ignoreAbsent(error: { readonly id?: string }): void {
  if (error.id !== 'document.not_found') throw error as Error;
}
