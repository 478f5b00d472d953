import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { coreErrors } from '@millrace/kernel';
import type { Moment } from '@millrace/storage-sqlite';
import { BackupFolder } from './BackupFolder.js';
import { MANIFEST_NAME, readManifest, type BackupManifest } from './BackupManifest.js';

/**
 * The folder of the backup to restore.
 * @param source one backup, or a folder of backups: the newest one that was complete before `until`
 * @throws core.backup_refused if there is none
 */
export async function chooseBackup(source: string, until: Moment | undefined): Promise<string> {
  const refuse = (reason: string) => coreErrors.backup_refused({ reason });
  if (!existsSync(source)) throw refuse(`"${source}" does not exist`);
  if (existsSync(join(source, MANIFEST_NAME))) {
    const { name, ...manifest } = await readManifest(source);
    if (isBefore(manifest, until)) return source;
    throw refuse(`backup "${name}" was made after this moment: restore from an earlier one`);
  }
  const backups = await new BackupFolder(source).list();
  if (backups.length === 0) throw refuse(`"${source}" is no backup, and has none in it`);
  const chosen = backups.find((manifest) => isBefore(manifest, until));
  if (chosen === undefined) throw refuse(`no backup in "${source}" was made before this moment`);
  return join(source, chosen.name);
}

function isBefore({ seq, endedAt }: Pick<BackupManifest, 'seq' | 'endedAt'>, until: Moment | undefined): boolean {
  if (until === undefined) return true;
  return 'seq' in until ? seq <= until.seq : endedAt <= until.timeMs;
}
