import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLogger, systemClock, type PluginStore, type StorageEngine } from '@millrace/kernel';
import { createSqliteEngine } from '@millrace/storage-sqlite';
import { EnginePluginStore } from '../plugins/EnginePluginStore.js';
import { Schedule } from './Schedule.js';
import { Timetable } from './Timetable.js';

const LONG_MS = 60_000;
const LEASE_MS = 900;
const eventually = (check: () => void) => vi.waitFor(check, { timeout: LONG_MS, interval: 20 });

describe('a schedule on several nodes', () => {
  let folder = '';
  let engine: StorageEngine;
  let store: PluginStore;
  const nodes: Schedule[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-schedule-'));
    engine = createSqliteEngine({ dataDir: folder, logger: silentLogger });
    await engine.start();
    store = new EnginePluginStore(() => engine, { index: '%test', collection: 'schedules' });
  });
  afterEach(async () => {
    await Promise.all(nodes.splice(0).map((node) => node.stop()));
    await engine.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const node = (run: () => unknown, own: PluginStore = store) => {
    const made = new Schedule({
      id: 'chores/tidy', timetable: new Timetable({ every: 1_000 }), run, store: own,
      clock: systemClock, log: silentLogger, leaseMs: LEASE_MS,
    }); // prettier-ignore
    nodes.push(made);
    made.start();
    return made;
  };

  it(
    'runs on one of them at a time',
    async () => {
      const runs: string[] = [];
      let [running, most] = [0, 0];
      const work = (name: string) => async () => {
        most = Math.max(most, ++running);
        runs.push(name);
        // Longer than a lease, so the lease must be renewed.
        await new Promise((resolve) => setTimeout(resolve, 2 * LEASE_MS));
        running--;
      };
      for (const name of ['a', 'b', 'c']) node(work(name));
      await eventually(() => expect(runs.length).toBeGreaterThanOrEqual(3));
      expect(most).toBe(1);
    },
    LONG_MS,
  );

  it(
    'goes on on another node when the one that runs it dies',
    async () => {
      let isDead = false;
      const dying: PluginStore = {
        ...store,
        get: (id) => (isDead ? Promise.reject(new Error('dead')) : store.get(id)),
        put: (...args) => (isDead ? Promise.reject(new Error('dead')) : store.put(...args)),
      };
      let begun = 0;
      let release: (() => void) | undefined;
      node(() => {
        begun++;
        return new Promise<void>((resolve) => (release = resolve));
      }, dying);
      await eventually(() => expect(begun).toBe(1));
      isDead = true;
      let runs = 0;
      node(() => void runs++);
      await eventually(() => expect(runs).toBeGreaterThanOrEqual(2));
      expect(begun).toBe(1);
      release?.();
    },
    LONG_MS,
  );
});
