import { describe, expect, it, vi } from 'vitest';
import type { NeededServices } from './ServerReadiness.js';
import { ServerReadiness } from './ServerReadiness.js';

const alone = { isClustered: false, isCurrent: () => false };

function running(services: Partial<NeededServices>): ServerReadiness {
  const readiness = new ServerReadiness({
    storage: { ping: async () => undefined },
    link: alone,
    ...services,
  });
  readiness.started();
  return readiness;
}

describe('ServerReadiness (HEALTH-3)', () => {
  it('is ready from the end of the start to the beginning of the stop', async () => {
    const readiness = new ServerReadiness({ storage: { ping: vi.fn() }, link: alone });
    expect([readiness.hasStarted, await readiness.check()]).toEqual([false, 'starting']);
    readiness.started();
    expect([readiness.hasStarted, await readiness.check()]).toEqual([true, 'ready']);
    readiness.stopping();
    expect([readiness.hasStarted, await readiness.check()]).toEqual([true, 'stopping']);
  });

  it.each([
    ['up', 'ready'],
    ['degraded', 'ready'],
    ['down', 'storage'],
  ] as const)('answers for an engine that is %s: %s', async (state, word) => {
    const storage = { ping: vi.fn(), health: () => ({ state }) };
    expect(await running({ storage }).check()).toBe(word);
  });

  it('is not ready where the engine fails or never answers', async () => {
    const fails = { ping: () => Promise.reject(new Error('away')) };
    expect(await running({ storage: fails }).check()).toBe('storage');
    const hangs = { ping: () => new Promise<never>(() => undefined) };
    expect(await running({ storage: hangs }).check()).toBe('storage');
  });

  it('is not ready where a node of a cluster may have missed changes', async () => {
    let isCurrent = true;
    const readiness = running({ link: { isClustered: true, isCurrent: () => isCurrent } });
    expect(await readiness.check()).toBe('ready');
    isCurrent = false;
    expect(await readiness.check()).toBe('cluster');
  });

  it('asks the engine once for many probes', async () => {
    const ping = vi.fn(async () => undefined);
    const readiness = running({ storage: { ping } });
    await Promise.all(Array.from({ length: 100 }, () => readiness.check()));
    // Two if the hundred took longer than a second.
    expect(ping.mock.calls.length).toBeLessThanOrEqual(2);
  });
});
