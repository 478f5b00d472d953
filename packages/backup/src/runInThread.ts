import { Worker } from 'node:worker_threads';
import { coreErrors, outcomeOf } from '@millrace/kernel';
import type { ExportRequest } from '@millrace/storage-sqlite';
import type { BackupTask } from './makeBackup.js';

/** Work that blocks a thread. */
export type ThreadTask =
  | { readonly kind: 'backup'; readonly backup: BackupTask }
  | { readonly kind: 'changes'; readonly changes: ExportRequest };

/** What the thread posts. */
export type ThreadOutcome = { readonly result: unknown } | { readonly problem: string; readonly isRefused: boolean };

/** Runs a task in a separate thread. @throws core.backup_refused, or Error with the problem */
export async function runInThread(task: ThreadTask): Promise<unknown> {
  const worker = new Worker(new URL('./backup.worker.js', import.meta.url), { workerData: task });
  const outcome = await outcomeOf<ThreadOutcome>(worker, 'backup');
  if ('result' in outcome) return outcome.result;
  throw outcome.isRefused ? coreErrors.backup_refused({ reason: outcome.problem }) : new Error(outcome.problem);
}
