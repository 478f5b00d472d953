import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { outcomeOf } from '@millrace/kernel';
import type { TableDamage } from '../schema/checkTables.js';

/** Start parameters of the check's worker. */
export interface IntegrityWorkerData {
  readonly databaseFile: string;
  /** Numbers of the collections to check. */
  readonly collectionNumbers: readonly number[];
  /** One integer in shared memory; set to 1 to cancel the check. */
  readonly stopSignal: Int32Array;
}

/** A running check. */
export interface IntegrityRun {
  /** Resolves with the damage. Rejects if the check failed or was cancelled. */
  readonly found: Promise<readonly TableDamage[]>;
  /** Cancels the check. Resolves when its thread has ended. */
  abandon(): Promise<void>;
}

/** Checks the database in a separate thread, which ends with the check. */
export function runIntegrityCheck(databaseFile: string, collectionNumbers: readonly number[]): IntegrityRun {
  const stopSignal = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const workerData: IntegrityWorkerData = { databaseFile, collectionNumbers, stopSignal };
  const worker = new Worker(new URL('./integrity.worker.js', import.meta.url), { workerData });
  // A check must not keep a process alive.
  worker.unref();
  const found = outcomeOf<readonly TableDamage[]>(worker, 'check');
  let isRunning = true;
  worker.on('exit', () => {
    isRunning = false;
  });
  return {
    found,
    abandon: async () => {
      if (!isRunning) return;
      const exited = once(worker, 'exit');
      worker.ref();
      // Uses the signal because `terminate` during a call of SQLite ends the whole process.
      Atomics.store(stopSignal, 0, 1);
      Atomics.notify(stopSignal, 0);
      await exited;
    },
  };
}
