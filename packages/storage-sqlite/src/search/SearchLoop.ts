import type { MessagePort } from 'node:worker_threads';
import { QueryError } from '@millrace/query';
import { CancelFlags } from './CancelFlags.js';
import { Cancelled, Refusal, ResultTooLarge, type WrittenOutcome } from '@millrace/search';
import { reasonOf } from '../sqliteFailure.js';
import { DamagedRow } from './index/CollectionRows.js';
import type {
  FromSearchWorker,
  SearchFailure,
  SearchTask,
  SearchWorkerData,
  ToSearchWorker,
} from './SearchMessages.js';
import { NotIndexed } from './LoadedCollection.js';
import { NoCursor, SearchTasks } from './SearchTasks.js';

/** Time that the index follows new writes before messages are checked again: a search may have to wait for it. */
const CATCH_UP_SLICE_MS = 3;

/** A task whose index takes longer to update is deferred, so that tasks on other collections don't wait. */
const CATCH_UP_FOR_TASK_MS = 20;

/** A deferred task waits at most this long in slices: a stream of writes may be faster than the index follows it. */
const DEFER_AT_MOST_MS = 30_000;

/** Deferred tasks run this long before other messages are checked. */
const DEFERRED_SLICE_MS = 8;

/** Answers of short tasks are sent together, at most this long after the first one. */
const SEND_AFTER_MS = 1;

/** Indexes are stored this long after the last work, in slices so short that a search hardly waits. */
const STORE_AFTER_MS = 1_000;
const STORE_SLICE_MS = 5;

/** Under continuous searches, indexes are stored after this time regardless. */
const STORE_AT_LAST_MS = 30_000;

/** Maximum delay of a stop for storing indexes. */
const STORE_AT_STOP_MS = 5_000;

/** Minimum interval between reports of the memory in use. */
const REPORT_MEMORY_EVERY_MS = 1_000;

/** A task that waits for the index of its collection. */
interface DeferredTask {
  readonly slot: number;
  readonly task: SearchTask;
  readonly untilMs: number;
}

/** The search thread: runs one task after another, and follows new writes while there is none. */
export class SearchLoop {
  private readonly tasks: SearchTasks;
  private readonly flags: CancelFlags;
  private readonly behind = new Set<number>();
  /** By collection. */
  private readonly deferred = new Map<number, DeferredTask[]>();
  private memoryReportedMs = Number.NEGATIVE_INFINITY;
  private readonly unsent: FromSearchWorker[] = [];
  /** Answers wait until then while tasks run. */
  private flushAtMs = 0;
  private flushTimer: NodeJS.Immediate | undefined;
  private isScheduled = false;
  private isStopped = false;
  private storeTimer: NodeJS.Timeout | undefined;
  private lastWorkMs = 0;
  private lastStoreMs = performance.now();

  constructor(
    private readonly port: MessagePort,
    { databaseFile, flags, maxResultBytes }: SearchWorkerData,
  ) {
    this.flags = new CancelFlags(flags);
    this.tasks = new SearchTasks({
      databaseFile,
      maxResultBytes,
      onCaughtUp: (collectionNumber, tombstoneNumber) => {
        this.post({ type: 'caughtUp', collectionNumber, tombstoneNumber });
      },
      onStored: (record) => {
        this.post({ type: 'stored', record });
      },
    });
    port.on('message', (messages: readonly ToSearchWorker[]) => {
      for (const message of messages) this.receive(message);
      this.flush();
    });
  }

  private receive(message: ToSearchWorker): void {
    switch (message.type) {
      case 'task':
        this.runTask({
          slot: message.slot,
          task: message.task,
          untilMs: performance.now() + DEFER_AT_MOST_MS,
        });
        this.awaitIdleness();
        break;
      case 'closeCursor':
        this.tasks.closeCursor(message.cursor);
        break;
      case 'closeScan':
        this.tasks.closeScan(message.scan);
        break;
      case 'changed':
        this.behind.add(message.collectionNumber);
        this.schedule();
        break;
      case 'warm':
        this.warm(message.collectionNumber);
        break;
      case 'recorded':
        this.tasks.recorded(message.record, message.isRecorded);
        break;
      case 'drop':
        this.behind.delete(message.collectionNumber);
        this.tasks.drop(message.collectionNumber);
        // They fail, as they would have begun afterwards.
        this.runDeferred(message.collectionNumber, Infinity);
        break;
      case 'stop':
        this.isStopped = true;
        clearTimeout(this.storeTimer);
        this.storeBefore(performance.now() + STORE_AT_STOP_MS);
        this.tasks.close();
        this.flush();
        this.port.close();
        break;
    }
  }

  /** Answers a task, or defers it until its index is up to date. */
  private runTask(deferred: DeferredTask, indexingMs = CATCH_UP_FOR_TASK_MS): void {
    const { slot, task } = deferred;
    const waiting = this.answer(slot, task, indexingMs);
    if (waiting === undefined) {
      if (task.type === 'nextPage') this.readAhead(task.cursor);
      return;
    }
    this.post({ type: 'deferred', slot });
    const others = this.deferred.get(waiting);
    if (others === undefined) this.deferred.set(waiting, [deferred]);
    else others.push(deferred);
    this.behind.add(waiting);
    this.schedule();
  }

  /** Runs the tasks that waited for an index, for a short time; the rest follows. @param indexingMs for each of them, if the index isn't up to date */
  private runDeferred(collectionNumber: number, indexingMs?: number): void {
    const tasks = this.deferred.get(collectionNumber);
    if (tasks === undefined) return;
    this.deferred.delete(collectionNumber);
    const endMs = performance.now() + DEFERRED_SLICE_MS;
    const rest = tasks.filter((each) => {
      if (performance.now() > endMs) return true;
      this.runTask(each, indexingMs);
      return false;
    });
    if (rest.length === 0) return;
    this.deferred.set(collectionNumber, [...rest, ...(this.deferred.get(collectionNumber) ?? [])]);
    this.behind.add(collectionNumber);
    this.schedule();
  }

  /** Ends the waiting of tasks that were cancelled or have waited for too long. */
  private endWaiting(collectionNumber: number): void {
    const tasks = this.deferred.get(collectionNumber);
    if (tasks === undefined) return;
    const nowMs = performance.now();
    const isOver = ({ slot, untilMs }: DeferredTask) => nowMs > untilMs || this.flags.isCancelled(slot);
    const over = tasks.filter(isOver);
    if (over.length === 0) return;
    this.deferred.set(
      collectionNumber,
      tasks.filter((each) => !over.includes(each)),
    );
    for (const each of over) this.runTask(each, Infinity);
  }

  /** @returns the collection whose index isn't up to date, if the task was not answered because of that */
  private answer(slot: number, task: SearchTask, indexingMs: number): number | undefined {
    const isCancelled = () => {
      // Polled while the task runs: the answers before it must not wait for it.
      if (this.unsent.length > 0 && performance.now() > this.flushAtMs) this.flush();
      return this.flags.isCancelled(slot);
    };
    const startedMs = performance.now();
    try {
      if (isCancelled()) throw new Cancelled();
      const result = this.tasks.run(task, isCancelled, indexingMs);
      const ms = performance.now() - startedMs;
      const message = { type: 'result', slot, ms, result } satisfies FromSearchWorker;
      this.post(message);
      const transferred = transferredOf(result);
      if (transferred !== undefined) this.flush([transferred]);
    } catch (error) {
      if (error instanceof NotIndexed) return error.collectionNumber;
      const ms = performance.now() - startedMs;
      this.post({ type: 'failed', slot, ms, failure: this.failureOf(error, task) });
    }
    this.reportMemory();
    return undefined;
  }

  private reportMemory(): void {
    const nowMs = performance.now();
    if (nowMs - this.memoryReportedMs < REPORT_MEMORY_EVERY_MS) return;
    this.memoryReportedMs = nowMs;
    this.post({ type: 'memory', bytes: this.tasks.memoryUsed() });
  }

  // Queued behind the waiting messages, so that the response is sent first.
  private readAhead(cursor: number): void {
    setImmediate(() => {
      if (!this.isStopped) this.tasks.readAhead(cursor);
    });
  }

  private failureOf(error: unknown, task: SearchTask): SearchFailure {
    if (error instanceof Refusal || error instanceof QueryError) {
      return { kind: error.kind, message: error.message };
    }
    if (error instanceof NoCursor) return { kind: 'no_cursor' };
    if (error instanceof Cancelled) return { kind: 'cancelled' };
    if (error instanceof ResultTooLarge) return { kind: 'result_too_large' };
    if (error instanceof DamagedRow) {
      const collectionNumber = this.tasks.collectionOf(task);
      const name = collectionNumber === undefined ? { index: '', collection: '' } : this.tasks.nameOf(collectionNumber);
      return { kind: 'corrupt', ...name, id: error.documentId };
    }
    return { kind: 'unavailable', message: reasonOf(error) };
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      if (!this.isStopped) this.followWrites();
    });
  }

  private followWrites(): void {
    const [collectionNumber] = this.behind;
    if (collectionNumber === undefined) return;
    // Added again if it remains behind: then others come first.
    this.behind.delete(collectionNumber);
    try {
      const state = this.tasks.catchUp(collectionNumber, CATCH_UP_SLICE_MS);
      if (state !== 'current') this.behind.add(collectionNumber);
      if (state === 'behind') this.endWaiting(collectionNumber);
      else this.runDeferred(collectionNumber);
    } catch {
      // Searches of the collection fail in the same way and report it.
      this.runDeferred(collectionNumber, Infinity);
    }
    if (this.behind.size > 0) this.schedule();
    this.awaitIdleness();
  }

  private warm(collectionNumber: number): void {
    try {
      this.tasks.load(collectionNumber);
    } catch {
      // The first search of the collection fails in the same way and reports it.
      return;
    }
    this.behind.add(collectionNumber);
    this.schedule();
  }

  private awaitIdleness(): void {
    this.lastWorkMs = performance.now();
    this.storeTimer ??= setTimeout(() => {
      this.storeTimer = undefined;
      this.storeWhenIdle();
    }, STORE_AFTER_MS);
  }

  private storeWhenIdle(): void {
    if (this.isStopped) return;
    const nowMs = performance.now();
    const isIdle = this.behind.size === 0 && nowMs - this.lastWorkMs >= STORE_AFTER_MS / 2;
    if (!isIdle && nowMs - this.lastStoreMs < STORE_AT_LAST_MS) {
      this.awaitIdleness();
      return;
    }
    if (this.tasks.store(STORE_SLICE_MS)) {
      setImmediate(() => {
        this.storeWhenIdle();
      });
    } else {
      this.lastStoreMs = nowMs;
    }
  }

  private storeBefore(endMs: number): void {
    while (performance.now() < endMs && this.tasks.store(STORE_SLICE_MS));
  }

  /** Sent with others, since each message wakes a thread. */
  private post(message: FromSearchWorker): void {
    if (this.unsent.length === 0) {
      this.flushAtMs = performance.now() + SEND_AFTER_MS;
      this.flushTimer = setImmediate(() => this.flush());
    }
    this.unsent.push(message);
  }

  private flush(transferred: readonly ArrayBuffer[] = []): void {
    if (this.unsent.length === 0) return;
    clearImmediate(this.flushTimer);
    this.port.postMessage(this.unsent, transferred);
    this.unsent.length = 0;
  }
}

/** The buffer of a long result. */
function transferredOf({ hits, sources }: WrittenOutcome): ArrayBuffer | undefined {
  if (typeof hits === 'object') return hits.buffer;
  return sources !== undefined && 'bytes' in sources ? sources.bytes.buffer : undefined;
}
