import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { inTemporaryFolder, runMillrace } from '../process/runMillrace.js';

/* Health said "up" on a full disk while every write was 503. */

interface Health {
  readonly status: number;
  readonly result: {
    readonly state: string;
    readonly services: { readonly storage: { readonly state: string; readonly reason?: string } };
  };
}

async function healthOf(url: string): Promise<Health> {
  return (await (await fetch(`${url}/_healthCheck`)).json()) as Health;
}

async function put(url: string, id: string, characters: number): Promise<number> {
  const answer = await fetch(`${url}/i/c/${id}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'x'.repeat(characters) }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

const canMount = process.platform === 'linux' && process.getuid?.() === 0;

describe.runIf(canMount)('a full disk', () => {
  it('makes health say degraded and why, reads go on, and recovers when a write succeeds', async (context) => {
    await inTemporaryFolder(async (folder) => {
      const dataDir = join(folder, 'disk');
      mkdirSync(dataDir);
      const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', dataDir]);
      if (mount.status !== 0) return context.skip('nothing may be mounted here');
      try {
        const millrace = runMillrace(folder, ['--http.port', '0', '--server.dataDir', dataDir]);
        const url = await millrace.listening;
        expect(await put(url, 'kept', 10)).toBe(200);
        expect(await healthOf(url)).toMatchObject({ status: 200, result: { state: 'up' } });

        const { bavail, bsize } = statfsSync(dataDir);
        writeFileSync(join(dataDir, 'filler'), new Uint8Array((bavail - 8) * bsize));
        let status = 200;
        for (let n = 0; status === 200; n += 1) status = await put(url, `big-${n}`, 100_000);
        expect(status).toBe(503);
        const full = await healthOf(url);
        expect(full).toMatchObject({
          status: 200,
          result: {
            state: 'degraded',
            services: {
              storage: {
                state: 'degraded',
                reason: 'writes fail: no space left on the device',
              },
            },
          },
        });
        expect(JSON.stringify(full)).not.toContain(dataDir);
        expect((await fetch(`${url}/i/c/kept`)).status).toBe(200);

        rmSync(join(dataDir, 'filler'));
        expect(await put(url, 'afterwards', 10)).toBe(200);
        expect((await healthOf(url)).result.services.storage).toEqual({ state: 'up' });
        millrace.signal('SIGTERM');
        expect(await millrace.ended).toBe(0);
      } finally {
        await sleep(100);
        spawnSync('umount', [dataDir]);
      }
    });
  });
});
