import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Kernel } from '@millrace/server';
import { definePlugin, silentLogger, type PluginHost, type ScheduledFunction } from '@millrace/kernel';

const LONG_MS = 60_000;
const eventually = (check: () => void) => vi.waitFor(check, { timeout: LONG_MS, interval: 20 });

describe('host.schedule', () => {
  let dataDir = '';
  let kernel: Kernel | undefined;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'millrace-schedules-'));
  });
  afterEach(async () => {
    await kernel?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const start = async (setup: (host: PluginHost) => void, logger = silentLogger) => {
    const plugin = definePlugin({ name: 'chores', kernel: '^0.1.0', setup });
    const config = { http: { port: 0 }, server: { dataDir } };
    kernel = new Kernel({ config, plugins: [plugin], logger });
    await kernel.start();
  };
  const every = (run: ScheduledFunction) => (host: PluginHost) => host.schedule('tidy', { every: 1_000 }, run);

  it(
    'runs a function again and again, never twice at once, and a throw ends nothing',
    async () => {
      let [running, most, runs] = [0, 0, 0];
      await start(
        every(async () => {
          most = Math.max(most, ++running);
          runs++;
          await new Promise((resolve) => setTimeout(resolve, 1_200));
          running--;
          throw new Error('on purpose');
        }),
      );
      await eventually(() => expect(runs).toBeGreaterThanOrEqual(2));
      expect(most).toBe(1);
    },
    LONG_MS,
  );

  it(
    'runs by a cron pattern',
    async () => {
      const due: number[] = [];
      await start((host) => host.schedule('tick', { cron: '* * * * * *' }, ({ dueAtMs }) => void due.push(dueAtMs)));
      await eventually(() => expect(due.length).toBeGreaterThanOrEqual(2));
      for (const ms of due) expect(ms % 1_000).toBe(0);
    },
    LONG_MS,
  );

  it(
    'asks a run to end when the server stops, and waits for it',
    async () => {
      const trace: string[] = [];
      await start(
        every(async ({ signal }) => {
          trace.push('begun');
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          await new Promise((resolve) => setTimeout(resolve, 50));
          trace.push('ended');
        }),
      );
      await eventually(() => expect(trace).toEqual(['begun']));
      await kernel?.stop();
      expect(trace).toEqual(['begun', 'ended']);
    },
    LONG_MS,
  );

  it(
    'runs what was due while no server ran, once, after the next start',
    async () => {
      let runs = 0;
      await start(every(() => void runs++));
      await eventually(() => expect(runs).toBeGreaterThanOrEqual(1));
      await kernel?.stop();
      await new Promise((resolve) => setTimeout(resolve, 2_200));
      const due: number[] = [];
      const startedMs = Date.now();
      await start(every(({ dueAtMs }) => void due.push(dueAtMs)));
      await eventually(() => expect(due.length).toBeGreaterThanOrEqual(2));
      expect(due.filter((ms) => ms < startedMs)).toHaveLength(1);
    },
    LONG_MS,
  );

  it.each([
    [(host: PluginHost) => host.schedule('x', { every: 'often' }, () => 1), /"chores".*"every" must be/],
    [(host: PluginHost) => host.schedule('x', { cron: 'whenever' }, () => 1), /"chores".*"cron" "whenever"/],
    [(host: PluginHost) => host.schedule('No Name', { every: '1m' }, () => 1), /"chores".*name of a schedule/],
    [
      (host: PluginHost) => {
        every(() => 1)(host);
        every(() => 1)(host);
      },
      /schedule "chores\/tidy" exists already/,
    ],
  ])('refuses a schedule that can not be kept (%#)', async (setup, reason) => {
    await expect(start(setup)).rejects.toThrow(reason);
  });
});

describe('host.store', () => {
  it(
    'keeps documents of a plugin across restarts, out of reach of requests',
    async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'millrace-store-'));
      let host: PluginHost | undefined;
      const setup = (given: PluginHost) => void (host = given);
      const plugin = definePlugin({ name: 'notes', kernel: '^0.1.0', setup });
      const open = async () => {
        const kernel = new Kernel({
          config: { http: { port: 0 }, server: { dataDir } },
          plugins: [plugin],
          logger: silentLogger,
        });
        await kernel.start();
        if (host === undefined) throw new Error('no host');
        return { kernel, store: host.store('drafts'), other: host.store('others') };
      };
      const first = await open();
      const { store } = first;
      expect(await store.get('a')).toBeNull();
      expect(await store.list()).toEqual([]);
      expect(await store.delete('a')).toBe(false);
      expect(await store.put('a', { n: 1, tag: 'x' })).toEqual({ version: 1 });
      expect(await store.put('b', { n: 2 }, { ifVersion: 0 })).toEqual({ version: 1 });
      await expect(store.put('b', { n: 3 }, { ifVersion: 0 })).rejects.toThrow(/already exists/);
      await expect(store.put('b', { n: 3 }, { ifVersion: 7 })).rejects.toThrow(/has version 1, not 7/);
      expect(await store.put('b', { n: 3 }, { ifVersion: 1 })).toEqual({ version: 2 });
      await expect(store.put('c', { text: 'x'.repeat(1_048_576) })).rejects.toMatchObject({
        id: 'core.store_too_large',
        status: 413,
      });
      await expect(store.search({ query: { nonsense: {} } })).rejects.toMatchObject({
        status: 400,
      });
      const found = await store.search({
        query: { range: { n: { gte: 2 } } },
        sort: { n: 'desc' },
      });
      expect(found).toEqual({ total: 1, documents: [{ id: 'b', version: 2, content: { n: 3 } }] });
      const { result } = await first.kernel.execute({ controller: 'index', action: 'list' });
      expect(JSON.stringify(result)).not.toContain('%');
      expect(await first.other.list()).toEqual([]);
      await first.kernel.stop();
      const second = await open();
      expect(await second.store.get('a')).toEqual({
        id: 'a',
        version: 1,
        content: { n: 1, tag: 'x' },
      });
      expect(await second.store.delete('a')).toBe(true);
      expect((await second.store.list({ size: 5 })).map(({ id }) => id)).toEqual(['b']);
      await second.kernel.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
    LONG_MS,
  );
});
