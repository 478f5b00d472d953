import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import {
  queryErrors,
  storageErrors,
  type MillraceError,
  type ScannedDocument,
  type SearchCursor,
  type SearchOptions,
  type SearchOutcome,
} from '@millrace/kernel';
import type { Query, SearchRequest } from '@millrace/query';
import { toOutcome, type WrittenOutcome } from '@millrace/search';
import { CancelFlags } from './CancelFlags.js';
import type { IndexFileRecord } from '../writer/IndexFiles.js';
import type {
  FromSearchWorker,
  SearchFailure,
  SearchTask,
  SearchWorkerData,
  ToSearchWorker,
} from './SearchMessages.js';
import { SearchWindow } from './SearchWindow.js';
import { TaskQueue, type TaskOwner } from './TaskQueue.js';
import { indexFolder, removeIndexesOf } from './stored/indexFiles.js';

/** Options of a `SearchThread`. */
export interface SearchThreadOptions {
  readonly databaseFile: string;
  /** Maximum size of a result, in bytes: larger ones fail with query.result_too_large. */
  readonly maxResultBytes: number;
  /** The worker died. The next task restarts it; cursors that were open are gone. */
  readonly onFailure?: (error: unknown) => void;
  /** Tombstones of the collection up to this one have been read and may be pruned. */
  readonly onCaughtUp?: (collectionNumber: number, tombstoneNumber: number) => void;
  /** `maxTasks` has increased. */
  readonly onMoreTasks?: () => void;
  /** An index was stored. Call `recorded` when the database has recorded it, or has refused to. */
  readonly onStored?: (record: IndexFileRecord) => void;
}

/** A worker that has not stopped after this time, including storing indexes, is terminated. */
const STOP_WITHIN_MS = 8_000;

/** This many tasks are sent at once; fewer at the end of a turn of the event loop: each message wakes a thread. */
const TASKS_PER_MESSAGE = 8;

interface RunningWorker {
  readonly worker: Worker;
  readonly queue: TaskQueue;
  readonly unsent: ToSearchWorker[];
  flushTimer: NodeJS.Immediate | undefined;
}

/**
 * The main thread's interface to the search worker. Every search sees all writes that were acknowledged before its
 * call. Errors: query.invalid, query.result_too_large (400), query.scroll_not_found (404), query.cancelled,
 * storage.corrupt (500), storage.unavailable (503).
 */
export class SearchThread {
  private readonly window = new SearchWindow();
  private running: RunningWorker | undefined;
  private isStarted = false;
  private nextId = 1;
  private memoryBytes = 0;

  constructor(private readonly options: SearchThreadOptions) {}

  /**
   * Accepts tasks. The worker is started by the first one, which is queued until it is ready: an engine that is not
   * searched has no search thread. The writer must have opened the database before. `onFailure` reports a worker that
   * fails to start.
   */
  start(): void {
    this.isStarted = true;
  }

  /** Waiting tasks reject at once, running ones are cancelled. */
  async stop(): Promise<void> {
    this.isStarted = false;
    const { running } = this;
    if (running === undefined) return;
    const { worker, queue } = running;
    const exited = once(worker, 'exit');
    queue.drop(stopped());
    this.send({ type: 'stop' });
    const timer = setTimeout(() => void worker.terminate(), STOP_WITHIN_MS);
    await exited;
    clearTimeout(timer);
  }

  async search(collectionNumber: number, request: SearchRequest, options?: SearchOptions): Promise<SearchOutcome> {
    const wantsPosition = options?.wantsPosition === true;
    const wireName = options?.wireName;
    const task = { type: 'search', collectionNumber, request, wantsPosition, wireName } as const;
    return toOutcome(await this.run(task, ownerOf(options)), options);
  }

  async count(collectionNumber: number, query: Query, options?: SearchOptions): Promise<number> {
    return Number((await this.run({ type: 'count', collectionNumber, query }, ownerOf(options))).json);
  }

  /** A frozen view. Rows deleted afterwards must be kept in `old_<k>` until the cursor is closed. */
  async openCursor(collectionNumber: number, request: SearchRequest, options?: SearchOptions): Promise<SearchCursor> {
    const cursor = this.nextId++;
    await this.run({ type: 'openCursor', collectionNumber, cursor, request }, ownerOf(options));
    const { running } = this;
    return {
      next: async (pageOptions) => {
        // A restarted worker doesn't have this cursor.
        if (running === undefined || running !== this.running) {
          throw queryErrors.scroll_not_found({});
        }
        const page = await this.run({ type: 'nextPage', cursor }, ownerOf(pageOptions));
        return toOutcome(page, pageOptions);
      },
      close: async () => {
        this.send({ type: 'closeCursor', cursor });
      },
    };
  }

  /** Yields the documents that match at the first step, without those that changed in the meantime. */
  async *scan(
    collectionNumber: number,
    query: Query,
    options?: SearchOptions,
  ): AsyncGenerator<readonly ScannedDocument[]> {
    const scan = this.nextId++;
    let owner = ownerOf(options);
    await this.run({ type: 'openScan', collectionNumber, scan, query }, owner);
    try {
      for (; ; owner = undefined) {
        const { json } = await this.run({ type: 'nextBatch', scan }, owner);
        const batch = JSON.parse(json) as readonly ScannedDocument[] | null;
        if (batch === null) return;
        yield batch;
      }
    } finally {
      this.send({ type: 'closeScan', scan });
    }
  }

  /** Rows were committed: a loaded collection is updated in idle time. Without a worker none is loaded. */
  changed(collectionNumber: number): void {
    this.send({ type: 'changed', collectionNumber });
  }

  /** The collection will be searched: its index is built in idle time. */
  warm(collectionNumber: number): void {
    if (!this.isStarted) return;
    this.running ??= this.spawn();
    this.send({ type: 'warm', collectionNumber });
  }

  /** See `onStored`. */
  recorded(record: IndexFileRecord, isRecorded: boolean): void {
    this.send({ type: 'recorded', record, isRecorded });
  }

  /** The collection is gone: cursors and scans on it are closed, and its stored index is removed. */
  drop(collectionNumber: number): void {
    if (this.running !== undefined) this.send({ type: 'drop', collectionNumber });
    else removeIndexesOf(indexFolder(this.options.databaseFile), collectionNumber);
  }

  /** Number of tasks worth running at once, from the times of recent ones, and of those that wait for an index. */
  get maxTasks(): number {
    return this.window.size + (this.running?.queue.deferredCount ?? 0);
  }

  /** Bytes of the worker's heap and its buffers, at most a second old while it works. */
  get memoryUsed(): number {
    return this.memoryBytes;
  }

  private run(task: SearchTask, owner: TaskOwner | undefined): Promise<WrittenOutcome> {
    if (!this.isStarted) return Promise.reject(stopped());
    this.running ??= this.spawn();
    return this.running.queue.run(task, owner);
  }

  private spawn(): RunningWorker {
    const { databaseFile, maxResultBytes } = this.options;
    const flags = new CancelFlags();
    const workerData: SearchWorkerData = { databaseFile, maxResultBytes, flags: flags.buffer };
    const worker = new Worker(new URL('./search.worker.js', import.meta.url), { workerData });
    const queue = new TaskQueue(flags, this.window, (slot, task) => {
      this.sendLater(running, { type: 'task', slot, task });
    });
    const running: RunningWorker = { worker, queue, unsent: [], flushTimer: undefined };
    let failure: unknown;
    worker.on('message', (messages: unknown) => {
      // Under `node --watch` a worker also posts the files that it imports (Node.js 24).
      if (!Array.isArray(messages)) return;
      for (const message of messages as readonly FromSearchWorker[]) this.receive(queue, message);
    });
    worker.on('error', (error) => {
      failure = error;
    });
    worker.on('exit', () => {
      this.onExit(running, failure);
    });
    return running;
  }

  private onExit(running: RunningWorker, failure: unknown): void {
    if (this.running === running) this.running = undefined;
    const reason = 'the search thread ended';
    running.queue.abandon(storageErrors.unavailable({ reason }, { cause: failure }));
    if (this.isStarted) this.options.onFailure?.(failure);
  }

  private receive(queue: TaskQueue, message: FromSearchWorker): void {
    switch (message.type) {
      case 'ready':
        break;
      case 'result':
        queue.succeed(message.slot, message.ms, message.result);
        break;
      case 'failed':
        queue.fail(message.slot, message.ms, this.errorOf(message.failure));
        break;
      case 'deferred':
        queue.defer(message.slot);
        this.options.onMoreTasks?.();
        break;
      case 'memory':
        this.memoryBytes = message.bytes;
        break;
      case 'caughtUp':
        this.options.onCaughtUp?.(message.collectionNumber, message.tombstoneNumber);
        break;
      case 'stored':
        if (this.options.onStored === undefined) this.recorded(message.record, false);
        else this.options.onStored(message.record);
        break;
    }
  }

  /** The first task goes at once: the thread may be idle. */
  private sendLater(running: RunningWorker, message: ToSearchWorker): void {
    running.unsent.push(message);
    if (running.queue.sentCount === 1 || running.unsent.length >= TASKS_PER_MESSAGE) flush(running);
    else running.flushTimer ??= setImmediate(flush, running);
  }

  private send(message: ToSearchWorker): void {
    const { running } = this;
    if (running === undefined) return;
    running.unsent.push(message);
    flush(running);
  }

  private errorOf(failure: SearchFailure): MillraceError {
    switch (failure.kind) {
      case 'invalid':
        return queryErrors.invalid({ reason: failure.message });
      case 'forbidden':
        return queryErrors.forbidden({ reason: failure.message });
      case 'window_too_large':
        return queryErrors.window_too_large({ reason: failure.message });
      case 'result_too_large':
        return queryErrors.result_too_large({ maxBytes: this.options.maxResultBytes });
      case 'cancelled':
        return this.isStarted ? queryErrors.cancelled({}) : stopped();
      case 'no_cursor':
        return queryErrors.scroll_not_found({});
      case 'corrupt':
        return storageErrors.corrupt(failure);
      case 'unavailable':
        return storageErrors.unavailable({ reason: failure.message });
    }
  }
}

function flush(running: RunningWorker): void {
  clearImmediate(running.flushTimer);
  running.flushTimer = undefined;
  running.worker.postMessage(running.unsent);
  running.unsent.length = 0;
}

function ownerOf(options: SearchOptions | undefined): TaskOwner | undefined {
  return options?.lifetime ?? (options?.signal && ownerOfSignal(options.signal));
}

function ownerOfSignal(signal: AbortSignal): TaskOwner {
  return {
    isClosed: signal.aborted,
    onClosed(listener) {
      signal.addEventListener('abort', listener);
      return () => signal.removeEventListener('abort', listener);
    },
  };
}

function stopped(): MillraceError {
  return storageErrors.unavailable({ reason: 'the search thread is stopped' });
}
