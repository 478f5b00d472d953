import { parentPort, workerData } from 'node:worker_threads';
import { MillraceError } from '@millrace/kernel';
import type { BackupOutcome } from './runBackup.js';
import { makeBackup, type BackupTask } from './makeBackup.js';

const outcome: BackupOutcome = await makeBackup(workerData as BackupTask).then(
  (manifest) => ({ manifest }),
  (error: unknown) => ({
    problem: error instanceof Error ? error.message : String(error),
    isRefused: error instanceof MillraceError,
  }),
);
parentPort?.postMessage({ outcome });
