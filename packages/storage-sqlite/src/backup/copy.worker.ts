import { parentPort, workerData } from 'node:worker_threads';
import { reasonOf } from '../sqliteFailure.js';
import { copyDatabase } from './copyDatabase.js';
import type { CopyOutcome, CopyWorkerData } from './copyInThread.js';

function copy({ file, target }: CopyWorkerData): CopyOutcome {
  try {
    return { content: copyDatabase(file, target) };
  } catch (error) {
    return { problem: reasonOf(error) };
  }
}

parentPort?.postMessage({ outcome: copy(workerData as CopyWorkerData) });
