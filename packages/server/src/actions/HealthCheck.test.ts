import { memoryErrors, SOLE_NODE, storageErrors, type MemoryStoreEngine, type StorageEngine } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { HealthCheck } from './HealthCheck.js';

const fullDisk = Object.assign(new Error("ENOSPC: write '/secret/path'"), { code: 'ENOSPC' });
const noSpace = memoryErrors.unavailable({ reason: '/secret/path' }, { cause: fullDisk });
const failed = () => Promise.reject(noSpace);

const storageUp = { ping: async () => undefined };
const memoryUp = { ping: () => undefined, run: () => 0 };

function check(
  storage: Partial<StorageEngine>,
  memory: Partial<MemoryStoreEngine> = memoryUp,
  warnings: readonly string[] = [],
) {
  const engines = [storage as StorageEngine, memory as MemoryStoreEngine] as const;
  return new HealthCheck(...engines, SOLE_NODE, () => warnings).check();
}

describe('HealthCheck', () => {
  it('reports what an operator should look at, and stays up', async () => {
    const health = await check(storageUp, memoryUp, ['set http.trustedProxies']);
    expect(health).toMatchObject({ state: 'up', warnings: ['set http.trustedProxies'] });
  });

  it('is up where every service is', async () => {
    expect(await check(storageUp)).toEqual({
      state: 'up',
      services: { storage: { state: 'up' }, memoryStorage: { state: 'up' } },
    });
  });

  it('is degraded and says why where writes alone fail', async () => {
    const reason = 'writes fail: no space left on the device';
    const full = { ...storageUp, health: () => ({ state: 'degraded', reason }) as const };
    expect(await check(full)).toEqual({
      state: 'degraded',
      services: { storage: { state: 'degraded', reason }, memoryStorage: { state: 'up' } },
    });
  });

  it('takes a memory store that answers reads for degraded, and shows no path', async () => {
    expect(await check(storageUp, { ...memoryUp, ping: failed })).toEqual({
      state: 'degraded',
      services: {
        storage: { state: 'up' },
        memoryStorage: {
          state: 'degraded',
          reason: 'writes fail: no space left on the device',
        },
      },
    });
  });

  it('is refused with 503 where a service does not answer', async () => {
    const away = () => Promise.reject(storageErrors.unavailable({ reason: 'http://secret:9200' }));
    await expect(check({ ping: away }, { ping: failed, run: failed })).rejects.toMatchObject({
      id: 'core.unhealthy',
      status: 503,
      details: {
        state: 'down',
        services: {
          storage: { state: 'down', reason: 'it does not answer' },
          memoryStorage: { state: 'down', reason: 'no space left on the device' },
        },
      },
    });
  });
});
