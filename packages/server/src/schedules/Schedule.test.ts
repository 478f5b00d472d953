import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { documentErrors, silentLogger, type JsonObject, type PluginStore } from '@millrace/kernel';
import { Schedule } from './Schedule.js';
import { Timetable } from './Timetable.js';

const LEASE_MS = 900;
const clock = { nowMs: () => Date.now(), monotonicMs: () => Date.now() };

/** The one document that the nodes share, with the conditions of a `PluginStore`. */
function openStore() {
  let version = 0;
  let stored: JsonObject = {};
  return {
    get: async (id: string) => (version === 0 ? null : { id, version, content: stored }),
    put: async (id: string, content: JsonObject, { ifVersion = version } = {}) => {
      if (ifVersion !== version) throw documentErrors.version_conflict({ id, expected: ifVersion, actual: version });
      stored = content;
      return { version: ++version };
    },
  } as PluginStore;
}

describe('a schedule on several nodes', () => {
  let store: PluginStore;
  const nodes: Schedule[] = [];
  beforeEach(() => {
    vi.useFakeTimers();
    store = openStore();
  });
  afterEach(() => {
    for (const node of nodes.splice(0)) node.end();
    vi.useRealTimers();
  });

  const node = (run: () => unknown, own: PluginStore = store) => {
    const made = new Schedule('chores/tidy', new Timetable({ every: 1_000 }), run, own, clock, silentLogger, LEASE_MS);
    nodes.push(made);
    made.start();
  };

  it('runs on one of them at a time, every second', async () => {
    const runs: string[] = [];
    for (const name of ['a', 'b', 'c']) node(() => void runs.push(name));
    await vi.advanceTimersByTimeAsync(10_500);
    expect(runs).toHaveLength(10);
  });

  it('runs on one of them at a time, also when a run takes longer than a lease', async () => {
    let [running, most, runs] = [0, 0, 0];
    const work = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 2 * LEASE_MS));
      running--;
      runs++;
    };
    for (let n = 0; n < 3; n++) node(work);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(runs).toBeGreaterThanOrEqual(8);
    expect(most).toBe(1);
  });

  it('goes on on another node when the one that runs it dies', async () => {
    let isDead = false;
    const dying: PluginStore = {
      ...store,
      get: (id) => (isDead ? Promise.reject(new Error('dead')) : store.get(id)),
      put: (...args) => (isDead ? Promise.reject(new Error('dead')) : store.put(...args)),
    };
    let begun = 0;
    node(() => {
      begun++;
      return new Promise<never>(() => undefined);
    }, dying);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(begun).toBe(1);
    isDead = true;
    let runs = 0;
    node(() => void runs++);
    await vi.advanceTimersByTimeAsync(LEASE_MS - 1);
    expect(runs).toBe(0);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(runs).toBeGreaterThanOrEqual(2);
    expect(begun).toBe(1);
  });
});
