import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BackupFolder } from './BackupFolder.js';
import type { BackupManifest } from './BackupManifest.js';
import { databaseBytes, type BackupTask } from './makeBackup.js';
import { runInThread } from './runInThread.js';

/** A running backup. */
export interface BackupRun {
  /** @throws core.backup_refused, or Error with the problem */
  readonly done: Promise<BackupManifest>;
  /** Bytes that have been copied, and approximately how many there are. */
  progress(): Promise<{ readonly bytes: number; readonly totalBytes: number }>;
}

/** Makes a backup in a separate thread, as copying the database blocks one. */
export function runBackup(task: BackupTask): BackupRun {
  const done = runInThread({ kind: 'backup', backup: task }) as Promise<BackupManifest>;
  const unfinished = new BackupFolder(task.directory).unfinishedPath(task.name);
  return {
    done,
    progress: async () => ({
      bytes: await bytesIn(unfinished),
      totalBytes: databaseBytes(task.dataDir),
    }),
  };
}

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = names.map(async (name) => {
    const entry = await stat(join(folder, name)).catch(() => undefined);
    return entry?.isFile() === true ? entry.size : 0;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
