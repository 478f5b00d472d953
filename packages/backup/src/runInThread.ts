import { Worker } from 'node:worker_threads';
import { coreErrors } from '@millrace/kernel';
import type { ExportRequest } from '@millrace/storage-sqlite';
import type { BackupTask } from './makeBackup.js';

/** Work that blocks a thread. */
export type ThreadTask =
  | { readonly kind: 'backup'; readonly backup: BackupTask }
  | { readonly kind: 'changes'; readonly changes: ExportRequest };

/** What the thread posts. */
export type ThreadOutcome = { readonly result: unknown } | { readonly problem: string; readonly isRefused: boolean };

/** Runs a task in a separate thread. @throws core.backup_refused, or Error with the problem */
export function runInThread(task: ThreadTask): Promise<unknown> {
  const worker = new Worker(new URL('./backup.worker.js', import.meta.url), { workerData: task });
  return new Promise((resolve, reject) => {
    // Under `node --watch` a worker also posts the files that it imports (Node.js 24).
    worker.on('message', ({ outcome }: { readonly outcome?: ThreadOutcome }) => {
      if (outcome === undefined) return;
      if ('result' in outcome) resolve(outcome.result);
      else if (outcome.isRefused) reject(coreErrors.backup_refused({ reason: outcome.problem }));
      else reject(new Error(outcome.problem));
    });
    worker.on('error', reject);
    worker.on('exit', () => reject(new Error('the thread of the backup ended without a result')));
  });
}
