import { join, resolve } from 'node:path';
import { BackupFolder } from '../backup/BackupFolder.js';
import type { BackupConfig } from '../backup/backupConfig.js';
import type { ServerConfig } from '../ServerConfig.js';
import { checkFolder } from './checkDataDirectory.js';
import { ok, warning, type DoctorContext, type Finding } from './Finding.js';

const HOUR_MS = 60 * 60_000;
/** A daily backup may have failed once. */
const MAX_AGE_HOURS = 49;

/** Whether there is a recent backup of the embedded engine. */
export async function checkBackups(context: DoctorContext): Promise<readonly Finding[]> {
  const { config, folder, environment } = context;
  if (config.section<{ engine: string }>('storage').engine !== 'sqlite') return [];
  const { directory, schedule } = config.section<BackupConfig>('backup');
  const dataDir = resolve(folder, config.section<ServerConfig>('server').dataDir);
  const path = directory === '' ? join(dataDir, 'backups') : resolve(folder, directory);
  const isWanted = schedule !== '' || environment['NODE_ENV'] === 'production';
  if (!isWanted) return [ok('backup', 'no production, no schedule of backups')];
  const folderFinding = await checkFolder('backup-directory', path);
  if (folderFinding.level === 'error') return [folderFinding];
  const newest = await new BackupFolder(path).newest();
  if (newest === undefined) {
    const mend =
      schedule === ''
        ? 'Set backup.schedule: "0 3 * * *", and backup.directory on another disk'
        : 'The server makes one by backup.schedule; make the first one now: millrace backup';
    return [warning('backup-missing', `no backup in ${path}`, mend)];
  }
  const hours = Math.floor((Date.now() - newest.startedAt) / HOUR_MS);
  const saw = `the newest backup in ${path} is ${hours} hours old`;
  if (hours <= MAX_AGE_HOURS) return [ok('backup', saw)];
  const mend = 'See the log for "the last backup failed", and backup.schedule';
  return [warning('backup-old', saw, mend)];
}
