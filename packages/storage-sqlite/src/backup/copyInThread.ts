import { Worker } from 'node:worker_threads';
import type { DatabaseContent } from './copyDatabase.js';

/** Start parameters of the copy's worker. */
export interface CopyWorkerData {
  readonly file: string;
  readonly target: string;
}

/** What the worker posts. */
export type CopyOutcome = { readonly content: DatabaseContent } | { readonly problem: string };

/** `copyDatabase` in a separate thread, which loads little besides SQLite. @throws Error with the problem */
export function copyInThread(file: string, target: string): Promise<DatabaseContent> {
  const workerData: CopyWorkerData = { file, target };
  const worker = new Worker(new URL('./copy.worker.js', import.meta.url), { workerData });
  return new Promise((resolve, reject) => {
    // Under `node --watch` a worker also posts the files that it imports (Node.js 24).
    worker.on('message', ({ outcome }: { readonly outcome?: CopyOutcome }) => {
      if (outcome === undefined) return;
      if ('content' in outcome) resolve(outcome.content);
      else reject(new Error(outcome.problem));
    });
    worker.on('error', reject);
    worker.on('exit', () => reject(new Error('the thread of the copy ended without a result')));
  });
}
