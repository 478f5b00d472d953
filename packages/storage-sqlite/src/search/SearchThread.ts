import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import {
  queryErrors,
  storageErrors,
  type MillraceError,
  type ScannedDocument,
  type SearchCursor,
  type SearchOutcome,
} from '@millrace/kernel';
import type { Query, SearchRequest } from '@millrace/query';
import type { IndexFileRecord } from './stored/IndexStoring.js';
import type {
  FromSearchWorker,
  SearchFailure,
  SearchTask,
  SearchWorkerData,
  ToSearchWorker,
} from './SearchMessages.js';

/** How a `SearchThread` is set up. */
export interface SearchThreadOptions {
  readonly databaseFile: string;
  /** The worker died. It is started anew with the next task; cursors that were open are gone. */
  readonly onFailure?: (error: unknown) => void;
  /** Tombstones of collection `k` up to `s` have been read and may be pruned. */
  readonly onCaughtUp?: (k: number, s: number) => void;
  /** An index was stored. `recorded` is to be called when the database has taken note of it, or has not. */
  readonly onStored?: (record: IndexFileRecord) => void;
}

interface Pending {
  readonly resolve: (json: string) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The search worker as the main thread sees it. Every search sees all writes that were acknowledged before it was asked
 * for. Errors: query.invalid (400), query.scroll_not_found (404), storage.corrupt (500), storage.unavailable (503).
 */
export class SearchThread {
  private worker: Worker | undefined;
  private isStarted = false;
  private nextId = 1;
  private readonly pending = new Map<number, Pending>();

  constructor(private readonly options: SearchThreadOptions) {}

  /**
   * Starts the worker and does not wait for it: tasks queue up until it listens, so a server listens sooner. The writer
   * must have opened the database before. A worker that fails to start is told by `onFailure`.
   */
  start(): void {
    this.isStarted = true;
    this.spawn();
  }

  /** Tasks still open reject. */
  async stop(): Promise<void> {
    this.isStarted = false;
    const { worker } = this;
    if (worker === undefined) return;
    const exited = once(worker, 'exit');
    this.send(worker, { type: 'stop' });
    await exited;
  }

  async search(k: number, request: SearchRequest): Promise<SearchOutcome> {
    return JSON.parse(await this.run({ type: 'search', k, request })) as SearchOutcome;
  }

  async count(k: number, query: Query): Promise<number> {
    return Number(await this.run({ type: 'count', k, query }));
  }

  /** A frozen view. Rows that die afterwards must be kept in `old_<k>` until the cursor is closed. */
  async openCursor(k: number, request: SearchRequest): Promise<SearchCursor> {
    const cursor = this.nextId++;
    await this.run({ type: 'openCursor', k, cursor, request });
    const { worker } = this;
    return {
      next: async () => {
        // A worker that was started anew knows nothing of it.
        if (worker === undefined || worker !== this.worker) throw queryErrors.scroll_not_found({});
        return JSON.parse(await this.run({ type: 'nextPage', cursor })) as SearchOutcome;
      },
      close: async () => {
        if (this.worker !== undefined) this.send(this.worker, { type: 'closeCursor', cursor });
      },
    };
  }

  /** Documents that match at the moment of the first step; those that changed meanwhile are left out. */
  async *scan(k: number, query: Query): AsyncGenerator<readonly ScannedDocument[]> {
    const scan = this.nextId++;
    await this.run({ type: 'openScan', k, scan, query });
    try {
      for (;;) {
        const json = await this.run({ type: 'nextBatch', scan });
        const batch = JSON.parse(json) as readonly ScannedDocument[] | null;
        if (batch === null) return;
        yield batch;
      }
    } finally {
      if (this.worker !== undefined) this.send(this.worker, { type: 'closeScan', scan });
    }
  }

  /** Rows were committed: a collection that is loaded follows in idle time. */
  changed(k: number): void {
    if (this.worker !== undefined) this.send(this.worker, { type: 'changed', k });
  }

  /** The collection will be searched: its index is made in idle time. */
  warm(k: number): void {
    if (this.worker !== undefined) this.send(this.worker, { type: 'warm', k });
  }

  /** See `onStored`. */
  recorded(record: IndexFileRecord, isRecorded: boolean): void {
    if (this.worker !== undefined) this.send(this.worker, { type: 'recorded', record, isRecorded });
  }

  /** The collection is gone: cursors and scans on it end. */
  drop(k: number): void {
    if (this.worker !== undefined) this.send(this.worker, { type: 'drop', k });
  }

  /** Bytes of the worker's heap and its buffers. */
  async memoryUsed(): Promise<number> {
    return Number(await this.run({ type: 'memoryUsed' }));
  }

  private run(task: SearchTask): Promise<string> {
    if (!this.isStarted) {
      return Promise.reject(storageErrors.unavailable({ reason: 'the search thread is stopped' }));
    }
    const worker = this.worker ?? this.spawn();
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      this.send(worker, { type: 'task', id, task });
    });
  }

  private spawn(): Worker {
    const workerData: SearchWorkerData = { databaseFile: this.options.databaseFile };
    const worker = new Worker(new URL('./search.worker.js', import.meta.url), { workerData });
    this.worker = worker;
    let failure: unknown;
    worker.on('message', (message: FromSearchWorker) => {
      this.receive(message);
    });
    worker.on('error', (error) => {
      failure = error;
    });
    worker.on('exit', () => {
      this.onExit(worker, failure);
    });
    return worker;
  }

  private onExit(worker: Worker, failure: unknown): void {
    if (this.worker === worker) this.worker = undefined;
    for (const { reject } of this.pending.values()) {
      reject(storageErrors.unavailable({ reason: 'the search thread ended' }, { cause: failure }));
    }
    this.pending.clear();
    if (this.isStarted) this.options.onFailure?.(failure);
  }

  private receive(message: FromSearchWorker): void {
    switch (message.type) {
      case 'ready':
        break;
      case 'result':
        this.take(message.id)?.resolve(message.json);
        break;
      case 'failed':
        this.take(message.id)?.reject(errorOf(message.failure));
        break;
      case 'caughtUp':
        this.options.onCaughtUp?.(message.k, message.s);
        break;
      case 'stored':
        if (this.options.onStored === undefined) this.recorded(message.record, false);
        else this.options.onStored(message.record);
        break;
    }
  }

  private take(id: number): Pending | undefined {
    const pending = this.pending.get(id);
    this.pending.delete(id);
    return pending;
  }

  private send(worker: Worker, message: ToSearchWorker): void {
    worker.postMessage(message);
  }
}

function errorOf(failure: SearchFailure): MillraceError {
  switch (failure.kind) {
    case 'invalid':
      return queryErrors.invalid({ reason: failure.message });
    case 'forbidden':
      return queryErrors.forbidden({ reason: failure.message });
    case 'window_too_large':
      return queryErrors.window_too_large({ reason: failure.message });
    case 'no_cursor':
      return queryErrors.scroll_not_found({});
    case 'corrupt':
      return storageErrors.corrupt(failure);
    case 'unavailable':
      return storageErrors.unavailable({ reason: failure.message });
  }
}
