import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { coreErrors } from '@millrace/kernel';
import { BackupFolder } from './BackupFolder.js';
import type { BackupManifest } from './BackupManifest.js';
import { databaseBytes, type BackupTask } from './makeBackup.js';

/** What the thread of a backup posts. */
export type BackupOutcome =
  { readonly manifest: BackupManifest } | { readonly problem: string; readonly isRefused: boolean };

/** A running backup. */
export interface BackupRun {
  /** @throws core.backup_refused, or Error with the problem */
  readonly done: Promise<BackupManifest>;
  /** Bytes that have been copied, and approximately how many there are. */
  progress(): Promise<{ readonly bytes: number; readonly totalBytes: number }>;
}

/** Makes a backup in a separate thread, as copying the database blocks one. */
export function runBackup(task: BackupTask): BackupRun {
  const worker = new Worker(new URL('./backup.worker.js', import.meta.url), { workerData: task });
  const done = new Promise<BackupManifest>((resolve, reject) => {
    // Under `node --watch` a worker also posts the files that it imports (Node.js 24).
    worker.on('message', ({ outcome }: { readonly outcome?: BackupOutcome }) => {
      if (outcome === undefined) return;
      if ('manifest' in outcome) resolve(outcome.manifest);
      else if (outcome.isRefused) reject(coreErrors.backup_refused({ reason: outcome.problem }));
      else reject(new Error(outcome.problem));
    });
    worker.on('error', reject);
    worker.on('exit', () => reject(new Error('the thread of the backup ended without a result')));
  });
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
