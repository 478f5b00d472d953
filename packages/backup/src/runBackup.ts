import { BackupFolder } from './BackupFolder.js';
import type { BackupManifest } from './BackupManifest.js';
import type { BackupTask } from './makeBackup.js';
import { runInThread } from './runInThread.js';
import { bytesIn, sourceBytes } from './sourceBytes.js';

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
      totalBytes: await sourceBytes(task),
    }),
  };
}
