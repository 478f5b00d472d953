import { Worker } from 'node:worker_threads';
import { outcomeOf } from '@millrace/kernel';
import type { DatabaseContent } from './copyDatabase.js';

/** Start parameters of the copy's worker. */
export interface CopyWorkerData {
  readonly file: string;
  readonly target: string;
}

/** What the worker posts. */
export type CopyOutcome = { readonly content: DatabaseContent } | { readonly problem: string };

/** `copyDatabase` in a separate thread, which loads little besides SQLite. @throws Error with the problem */
export async function copyInThread(file: string, target: string): Promise<DatabaseContent> {
  const workerData: CopyWorkerData = { file, target };
  const worker = new Worker(new URL('./copy.worker.js', import.meta.url), { workerData });
  const outcome = await outcomeOf<CopyOutcome>(worker, 'copy');
  if ('problem' in outcome) throw new Error(outcome.problem);
  return outcome.content;
}
