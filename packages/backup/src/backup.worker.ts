import { parentPort, workerData } from 'node:worker_threads';
import { MillraceError } from '@millrace/kernel';
import { exportChanges } from '@millrace/storage-sqlite';
import { makeBackup } from './makeBackup.js';
import type { ThreadOutcome, ThreadTask } from './runInThread.js';

async function run(task: ThreadTask): Promise<unknown> {
  return task.kind === 'backup' ? makeBackup(task.backup) : exportChanges(task.changes);
}

const outcome: ThreadOutcome = await run(workerData as ThreadTask).then(
  (result) => ({ result }),
  (error: unknown) => ({
    problem: error instanceof Error ? error.message : String(error),
    isRefused: error instanceof MillraceError,
  }),
);
parentPort?.postMessage({ outcome });
