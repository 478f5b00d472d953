import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { SearchLoop } from './SearchLoop.js';
import type { FromSearchWorker, SearchWorkerData } from './SearchMessages.js';

function run(port: MessagePort, data: SearchWorkerData): void {
  new SearchLoop(port, data);
  port.postMessage([{ type: 'ready' }] satisfies FromSearchWorker[]);
}

if (parentPort !== null) run(parentPort, workerData as SearchWorkerData);
