import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { inTemporaryFolder, runMillrace } from '../process/runMillrace.js';

/** A schedule has minutes, and an interrupted run is taken up again after its lease. */
const LONG_MS = 600_000;
const EVERY_MINUTE = ['--http.port', '0', '--backup.schedule', '* * * * *'];

async function healthOf(url: string): Promise<unknown> {
  return ((await (await fetch(`${url}/_healthCheck`)).json()) as { result: unknown }).result;
}

function namesIn(directory: string): readonly string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}

describe('a scheduled backup', () => {
  it(
    'that is killed is made again after the start, and its age is kept over another one (BACKUP-5, BACKUP-6)',
    { timeout: LONG_MS },
    async () => {
      await inTemporaryFolder(async (folder) => {
        const backups = join(folder, 'data', 'backups');
        const first = runMillrace(folder, EVERY_MINUTE);
        await first.listening;
        while (!namesIn(backups).some((name) => name.startsWith('.unfinished-'))) await pause(1);
        first.signal('SIGKILL');
        await first.ended;

        const second = runMillrace(folder, EVERY_MINUTE);
        const url = await second.listening;
        expect(namesIn(backups).filter((name) => name.startsWith('.unfinished-'))).toEqual([]);
        const made = { backup: { ageSeconds: expect.any(Number) as number } };
        await expect.poll(() => healthOf(url), { timeout: LONG_MS }).toMatchObject(made);
        second.signal('SIGTERM');
        expect(await second.ended).toBe(0);

        const third = runMillrace(folder, ['--http.port', '0']);
        expect(await healthOf(await third.listening)).toMatchObject(made);
        third.signal('SIGTERM');
        expect(await third.ended).toBe(0);
      });
    },
  );

  it('a scheduled backup that fails is a warning in the health (BACKUP-4)', { timeout: LONG_MS }, async () => {
    await inTemporaryFolder(async (folder) => {
      const directory = join(folder, 'backups');
      writeFileSync(directory, 'a file in the way');
      const millrace = runMillrace(folder, [...EVERY_MINUTE, '--backup.directory', directory]);
      const url = await millrace.listening;
      await expect
        .poll(() => healthOf(url), { timeout: LONG_MS })
        .toMatchObject({ state: 'up', warnings: ['the last backup failed'] });
      expect(await healthOf(url)).not.toHaveProperty('backup');
      expect(millrace.output()).toContain('a backup failed');
      millrace.signal('SIGTERM');
      expect(await millrace.ended).toBe(0);
    });
  });
});
