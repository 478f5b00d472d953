import type { Worker } from 'node:worker_threads';

/**
 * What a worker with a single task posts, as `{outcome}`.
 * @param name of the thread, for the error
 * @throws Error if the thread fails, or ends without an outcome
 */
export function outcomeOf<T>(worker: Worker, name: string): Promise<T> {
  return new Promise((resolve, reject) => {
    // Under `node --watch` a worker also posts the files that it imports (Node.js 24).
    worker.on('message', ({ outcome }: { readonly outcome?: T }) => {
      if (outcome !== undefined) resolve(outcome);
    });
    worker.on('error', reject);
    worker.on('exit', () => reject(new Error(`the thread of the ${name} ended without a result`)));
  });
}
