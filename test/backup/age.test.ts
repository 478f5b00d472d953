import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BackupFolder, Backups } from '@millrace/backup';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLogger } from '@millrace/kernel';
import { inFolder } from './openServer.js';

const MINUTE_MS = 60_000;
const clock = { nowMs: () => Date.now(), monotonicMs: () => Date.now() };

/** As another process makes one. */
function makeBackup(directory: string, startedAt: number): void {
  const name = BackupFolder.nameAt(startedAt);
  mkdirSync(join(directory, name), { recursive: true });
  const manifest = { format: 1, name, startedAt };
  writeFileSync(join(directory, name, 'manifest.json'), JSON.stringify(manifest));
}

describe('the age of the last backup (BACKUP-6)', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
  afterEach(() => void vi.useRealTimers());

  it('counts those of other processes', async () => {
    await inFolder(async (dataDir) => {
      const config = {
        directory: '',
        schedule: '',
        keep: { daily: 7, weekly: 4 },
        continuous: false,
      };
      const backups = new Backups({
        dataDir,
        config,
        internalIndex: 'internal',
        obstacle: () => undefined,
        version: '0.0.0',
        memoryStore: true,
        clock,
        log: silentLogger,
      });
      await backups.start();
      expect(backups.ageSeconds).toBeUndefined();
      makeBackup(join(dataDir, 'backups'), Date.now() - 7_200_000);
      makeBackup(join(dataDir, 'backups'), Date.now() - 3_600_000);
      vi.advanceTimersByTime(MINUTE_MS);
      await expect.poll(() => backups.ageSeconds).toBeGreaterThanOrEqual(3_600);
      expect(backups.ageSeconds).toBeLessThan(7_200);
      await backups.stop();
    });
  });
});
