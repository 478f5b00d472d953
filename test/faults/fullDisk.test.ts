import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
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
        expect(millrace.output()).toContain('documents are not stored');

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

  it('of the backups fails the backup, which leaves nothing, and the server writes on (BACKUP-4)', async (context) => {
    await inTemporaryFolder(async (folder) => {
      const directory = join(folder, 'backups');
      mkdirSync(directory);
      const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', directory]);
      if (mount.status !== 0) return context.skip('nothing may be mounted here');
      try {
        const args = ['--http.port', '0', '--backup.directory', directory];
        const millrace = runMillrace(folder, args);
        const url = await millrace.listening;
        // There would be room for the database, and none for the keys.
        const body = JSON.stringify({ value: 'x'.repeat(900_000) });
        const headers = { 'content-type': 'application/json' };
        for (let n = 0; n < 8; n++)
          expect((await fetch(`${url}/ms/key-${n}`, { method: 'POST', headers, body })).status).toBe(200);
        const failed = await backUpOver(url);
        expect(failed).toMatchObject({ state: 'failed' });
        expect(failed.reason).toMatch(/^the disk of the backups has \d+ MiB left and \d+ MiB are needed$/);
        expect(readdirSync(directory)).toEqual([]);
        expect(await put(url, 'afterwards', 10)).toBe(200);
        expect(await healthOf(url)).toMatchObject({
          result: { state: 'up', warnings: ['the last backup failed'] },
        });

        spawnSync('mount', ['-o', 'remount,size=60m', directory]);
        expect(await backUpOver(url)).toMatchObject({ state: 'complete' });
        millrace.signal('SIGTERM');
        expect(await millrace.ended).toBe(0);
      } finally {
        await sleep(100);
        spawnSync('umount', [directory]);
      }
    });
  });
});

describe.runIf(process.platform === 'linux')('a file that can not grow', () => {
  it('fails `millrace backup` in one line, leaves nothing, and the server writes on (BACKUP-4)', async () => {
    await inTemporaryFolder(async (folder) => {
      const millrace = runMillrace(folder, ['--http.port', '0']);
      const url = await millrace.listening;
      for (let n = 0; n < 40; n++) expect(await put(url, `d-${n}`, 100_000)).toBe(200);
      const bin = join(import.meta.dirname, '../../packages/server/bin/millrace.js');
      const script = 'ulimit -f 1000; exec "$0" "$1" backup --to kept';
      const { status, stderr } = spawnSync('sh', ['-c', script, process.execPath, bin], { cwd: folder });
      expect(status).toBe(1);
      expect(stderr.toString()).toMatch(/^millrace: .*millrace.db" can't be copied to ".*": .+\n$/);
      expect(readdirSync(join(folder, 'kept'))).toEqual([]);
      expect(await put(url, 'afterwards', 10)).toBe(200);
      millrace.signal('SIGTERM');
      expect(await millrace.ended).toBe(0);
    });
  });
});

interface Backup {
  readonly name: string;
  readonly state: string;
  readonly reason?: string;
}

/** Makes a backup and waits until it is complete or has failed. */
async function backUpOver(url: string): Promise<Backup> {
  const { result } = (await (await fetch(`${url}/_backup`, { method: 'POST' })).json()) as { result: Backup };
  for (;;) {
    const listed = (await (await fetch(`${url}/_backups`)).json()) as { result: { hits: readonly Backup[] } };
    const found = listed.result.hits.find(({ name }) => name === result.name);
    if (found !== undefined && found.state !== 'running') return found;
    await sleep(20);
  }
}
