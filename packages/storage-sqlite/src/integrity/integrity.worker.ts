import { parentPort, workerData } from 'node:worker_threads';
import { withDatabase } from '../openDatabase.js';
import { checkTables, type TableDamage } from '../schema/checkTables.js';
import type { IntegrityWorkerData } from './runIntegrityCheck.js';

/**
 * Pauses after each batch for as long as the batch took: half a core at most. @returns undefined if it was cancelled
 */
function check({ databaseFile, collectionNumbers, stopSignal }: IntegrityWorkerData) {
  return withDatabase(databaseFile, { readOnly: true }, (database) => {
    const steps = checkTables(database, collectionNumbers);
    for (;;) {
      const startMs = performance.now();
      const step = steps.next();
      if (step.done === true) return step.value;
      const pause = Atomics.wait(stopSignal, 0, 0, performance.now() - startMs);
      if (pause !== 'timed-out') return undefined;
    }
  });
}

const outcome: readonly TableDamage[] | undefined = check(workerData as IntegrityWorkerData);
if (outcome !== undefined) parentPort?.postMessage({ outcome });
