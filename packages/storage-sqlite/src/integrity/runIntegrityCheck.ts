import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { TableDamage } from './checkTables.js';

/** How the worker of one check is started. */
export interface IntegrityWorkerData {
  readonly databaseFile: string;
  /** Numbers of the collections to check. */
  readonly ks: readonly number[];
  /** One integer in shared memory; set to 1, the check is abandoned. */
  readonly stopSignal: Int32Array;
}

/** A check under way. */
export interface IntegrityRun {
  /** Resolves with what is damaged. Rejects when the check could not be done, or was abandoned. */
  readonly found: Promise<readonly TableDamage[]>;
  /** Ends the check without a result. Resolves when its thread has ended. */
  abandon(): Promise<void>;
}

/** Checks the database in a thread of its own, which ends with the check. */
export function runIntegrityCheck(databaseFile: string, ks: readonly number[]): IntegrityRun {
  const stopSignal = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const workerData: IntegrityWorkerData = { databaseFile, ks, stopSignal };
  const worker = new Worker(new URL('./integrity.worker.js', import.meta.url), { workerData });
  // A check must not hold a process open.
  worker.unref();
  const found = new Promise<readonly TableDamage[]>((resolve, reject) => {
    // Under `node --watch` a worker also posts the files that it imports (Node.js 24).
    worker.on('message', (message: unknown) => {
      if (Array.isArray(message)) resolve(message as readonly TableDamage[]);
    });
    worker.on('error', reject);
    worker.on('exit', () => {
      reject(new Error('the check ended without a result'));
    });
  });
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
      // By signal: `terminate` within a call of SQLite ends the whole process.
      Atomics.store(stopSignal, 0, 1);
      Atomics.notify(stopSignal, 0);
      await exited;
    },
  };
}
