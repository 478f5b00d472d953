import { Worker } from 'node:worker_threads';
import { storageErrors, type MillraceError } from '@millrace/kernel';
import type { HistoryOptions } from './HistoryOptions.js';
import { reasonOf } from '../sqliteFailure.js';
import { MAX_TRANSACTION_CHARS, MAX_TRANSACTION_OPERATIONS } from './takeTransaction.js';
import type {
  CollectionMark,
  OpenedLog,
  OpenedStore,
  WriterAnswer,
  WriterEntry,
  WriterMessage,
  WriterRequest,
  WriterWorkerData,
  WriteSegment,
} from './WriterEntry.js';

/*
 * The main thread's interface to the writer. All operations of one turn of the event loop are sent in one message; the
 * writer applies all waiting operations in one transaction and answers in one message, so that 64 callers share one
 * disk sync. Responses arrive in the order of the entries, so a queue is the only bookkeeping.
 *
 * When the worker dies, all unanswered entries fail (they may or may not be on disk), and a new worker starts. It first
 * receives the entries of `recover`: the state that only the dead worker had.
 */

/** Result of one operation. */
export interface WriteResult {
  readonly code: number;
  readonly version: number;
  /** The metadata of a replaced document, in stored form. */
  readonly packed: string;
  /** Position in the change log; 0: not recorded. */
  readonly seq: number;
}

/** Receives the results of one caller's operations. */
export interface WriteReceiver {
  /**
   * The operation at `position` was applied or refused.
   */
  written(position: number, result: WriteResult): void;
  /** The operation at `position` was not written, as far as is known. */
  failed(position: number, error: MillraceError): void;
}

/** One operation to send to the writer. */
export interface SentOperation {
  /** The number of the collection. */
  readonly collectionNumber: number;
  readonly id: string;
  /** The source as JSON text, null to delete. */
  readonly json: string | null;
  /** A version, or a value of `CONDITION`. */
  readonly condition: number;
  /** Author and time of the write, in stored form; empty: no metadata is kept. */
  readonly stamp: string;
  /** The request that makes the write, see formatCursor.ts. */
  readonly origin: string;
  /** The version of a copied document; `stamp` is its whole metadata then. */
  readonly copied?: number | undefined;
}

/** Options of a `WriterThread`. */
export interface WriterThreadOptions {
  readonly databaseFile: string;
  readonly history: HistoryOptions;
  readonly internalIndex: string;
  /** The worker died; a new one starts. */
  readonly onFailure?: (error: unknown) => void;
  /** Transactions were answered. @param failure why the last one failed; null: it succeeded */
  readonly onOutcome?: (failure: string | null) => void;
  /** A new worker has opened the store: returns the entries that it must receive before all others. */
  readonly recover?: () => readonly WriterEntry[];
  /** See `SqliteEngineOptions`. */
  readonly takeWriter?: () => Worker | undefined;
}

type EntryAnswer = Exclude<WriterAnswer, { readonly type: 'written' | 'failed' }>;

/** A caller that waits for the response to one entry. */
type Pending =
  | { readonly type: 'segment'; readonly receivers: WriteReceiver[]; readonly positions: number[] }
  | {
      readonly type: 'entry';
      readonly resolve: (answer: EntryAnswer) => void;
      readonly reject: (error: MillraceError) => void;
    };

/** In the place of a caller that has its answer: the queue must not keep what the caller sent. */
const SETTLED: Pending = { type: 'entry', resolve: () => undefined, reject: () => undefined };

/** For an idle writer, this many operations are worth a separate transaction. */
const EAGER_OPERATIONS = 32;

/** Health reports a writer that gives no response for this long. */
const STALLED_AFTER_MS = 10_000;

/** Minimum wait before restarting a worker that could not open the store. */
const RESTART_PAUSE_MS = 500;

export class WriterThread {
  /** Messages sent, for tests: the fewer per operation, the better the batching. */
  sentMessages = 0;
  sqliteVersion = '';
  /** The change log as it was opened. */
  log: OpenedLog = { epoch: '', seq: 0, covers: [] };
  /** Last position in the change log that the writers of the changes know. */
  lastSeq = 0;
  opened: OpenedStore = { isChecked: false, repaired: undefined, formerFormat: undefined };

  private worker: Worker | undefined;
  private state: 'stopped' | 'starting' | 'running' | 'down' = 'stopped';
  private downReason = 'the storage engine is not started';
  private unsent: WriterEntry[] = [];
  /** Entries without a response: first the sent ones, then the unsent ones. */
  private pending: Pending[] = [];
  private answered = 0;
  private openSegment: { readonly entry: WriteSegment; readonly pending: Pending & { type: 'segment' } } | undefined;
  private openChars = 0;
  private flushTimer: NodeJS.Immediate | undefined;
  private restartTimer: NodeJS.Timeout | undefined;
  private readonly marks = new Map<number, CollectionMark>();
  private unknownNumbers = 0;
  private isFirst = true;
  private failure: string | null = null;
  /** When the oldest unanswered message was sent, or the last response arrived. */
  private waitingSinceMs: number | undefined;
  private onClosed: (() => void) | undefined;

  constructor(private readonly options: WriterThreadOptions) {}

  /** The reason why writes fail, for health; undefined if there is none. */
  get problem(): string | undefined {
    if (this.state === 'down') return 'writes fail: the writer does not run';
    if (this.failure !== null) return this.failure;
    const waitedMs = performance.now() - (this.waitingSinceMs ?? Infinity);
    if (waitedMs > STALLED_AFTER_MS) {
      return `writes have waited for ${Math.round(waitedMs / 1000)} s`;
    }
    return undefined;
  }

  /** Opens the store. @throws storage.unavailable with the reason why it can't be used */
  async start(): Promise<void> {
    await this.startWorker();
  }

  /** Waits for submitted entries, then closes the store. */
  async stop(): Promise<void> {
    clearTimeout(this.restartTimer);
    const { worker } = this;
    const closed = new Promise<void>((resolve) => (this.onClosed = resolve));
    if (this.state === 'running') {
      this.flush();
      this.send({ type: 'close' });
    } else this.onClosed?.();
    // From here on no entry is accepted, and the end of the worker is not a failure.
    this.state = 'stopped';
    this.downReason = 'the storage engine is stopped';
    await closed;
    this.worker = undefined;
    this.failAll();
    await worker?.terminate();
  }

  /** Adds one operation to the batch of this turn. */
  write(
    { collectionNumber, id, json, condition, stamp, origin, copied }: SentOperation,
    receiver: WriteReceiver,
    position: number,
  ): void {
    if (this.state === 'stopped' || this.state === 'down') {
      receiver.failed(position, this.unavailable());
      return;
    }
    const { entry, pending } = (this.openSegment ??= this.addSegment());
    entry.collectionNumbers.push(collectionNumber);
    entry.ids.push(id);
    entry.jsons.push(json);
    entry.conditions.push(condition);
    if (copied !== undefined) (entry.copies ??= new Map()).set(entry.ids.length - 1, copied);
    if (entry.stamps[entry.stamps.length - 1] !== stamp) {
      entry.stamps.push(stamp);
      entry.stampStarts.push(entry.ids.length - 1);
    }
    if (entry.origins[entry.origins.length - 1] !== origin) {
      entry.origins.push(origin);
      entry.originStarts.push(entry.ids.length - 1);
    }
    pending.receivers.push(receiver);
    pending.positions.push(position);
    this.openChars += json === null ? 0 : json.length;
    if (entry.ids.length >= MAX_TRANSACTION_OPERATIONS || this.openChars >= MAX_TRANSACTION_CHARS) {
      this.openSegment = undefined;
    }
  }

  /**
   * Signals that a caller has added all its operations. If the writer is idle and enough operations wait, they are sent
   * now instead of at the end of the turn: the writer commits them while this thread prepares the next ones.
   */
  nudge(): void {
    const { openSegment } = this;
    if (openSegment === undefined || openSegment.entry.ids.length < EAGER_OPERATIONS) return;
    const isIdle = this.pending.length - this.answered === this.unsent.length;
    if (isIdle) this.flush();
  }

  /** Sends the writer one entry after all earlier ones. @throws storage.unavailable */
  submit(entry: Exclude<WriterEntry, WriteSegment>): Promise<EntryAnswer> {
    if (this.state === 'stopped' || this.state === 'down') return Promise.reject(this.unavailable());
    return new Promise((resolve, reject) => {
      this.add(entry, { type: 'entry', resolve, reject });
    });
  }

  /** The collection is permanently gone: no writes to it will follow. */
  forget(collectionNumber: number): void {
    this.marks.delete(collectionNumber);
  }

  private addSegment(): { entry: WriteSegment; pending: Pending & { type: 'segment' } } {
    const entry: WriteSegment = {
      type: 'write',
      collectionNumbers: [],
      ids: [],
      jsons: [],
      conditions: [],
      stamps: [],
      stampStarts: [],
      origins: [],
      originStarts: [],
    };
    const pending = { type: 'segment', receivers: [], positions: [] } satisfies Pending;
    this.add(entry, pending);
    this.openChars = 0;
    return { entry, pending };
  }

  private add(entry: WriterEntry, pending: Pending): void {
    this.openSegment = undefined;
    this.unsent.push(entry);
    this.pending.push(pending);
    this.flushTimer ??= setImmediate(() => {
      this.flush();
    });
  }

  private flush(): void {
    clearImmediate(this.flushTimer);
    this.flushTimer = undefined;
    this.openSegment = undefined;
    if (this.state !== 'running' || this.unsent.length === 0) return;
    this.send({ type: 'entries', entries: this.unsent });
    this.waitingSinceMs ??= performance.now();
    this.unsent.length = 0;
  }

  private send(request: WriterRequest): void {
    this.sentMessages += 1;
    this.worker?.postMessage(request);
  }

  private startWorker(): Promise<void> {
    this.state = 'starting';
    const data: WriterWorkerData = {
      databaseFile: this.options.databaseFile,
      history: this.options.history,
      internalIndex: this.options.internalIndex,
      isFirst: this.isFirst,
      marks: [...this.marks.values()],
      unknownNumbers: this.unknownNumbers,
    };
    const worker = this.options.takeWriter?.() ?? new Worker(new URL('./writer.worker.js', import.meta.url));
    this.worker = worker;
    worker.postMessage(data);
    return new Promise((resolve, reject) => {
      worker.on('message', (message: WriterMessage) => {
        if (message.type === 'ready') {
          this.opened = message.opened;
          this.log = message.log;
          this.lastSeq = message.log.seq;
          this.becomeReady(worker, message.sqliteVersion);
          resolve();
        } else if (message.type === 'unusable') {
          this.becomeUnusable(message.reason);
          reject(this.unavailable());
        } else if (message.type === 'closed') this.onClosed?.();
        // Under `node --watch` a worker also posts the files that it imports (Node.js 24).
        else if (message.type === 'answers') {
          this.failure = message.failure;
          this.options.onOutcome?.(message.failure);
          this.takeAnswers(message.answers, message.marks);
          this.lastSeq = message.seq;
        }
      });
      worker.on('error', (error: unknown) => {
        this.lose(worker, error);
        reject(this.unavailable());
      });
      worker.on('exit', (code) => {
        this.lose(worker, new Error(`the writer thread ended with code ${code}`));
        reject(this.unavailable());
      });
    });
  }

  private becomeReady(worker: Worker, sqliteVersion: string): void {
    if (this.state !== 'starting') return;
    this.sqliteVersion = sqliteVersion;
    try {
      if (!this.isFirst) this.recover();
    } catch (error) {
      // The file can't be read: retried after a pause, like a worker that could not open it.
      this.becomeUnusable(reasonOf(error));
      void worker.terminate();
      return;
    }
    this.state = 'running';
    this.isFirst = false;
    this.flush();
  }

  // These entries precede those submitted while there was no worker.
  private recover(): void {
    const entries = this.options.recover?.() ?? [];
    this.unsent = [...entries, ...this.unsent];
    this.pending = [...entries.map(() => SETTLED), ...this.pending];
  }

  private becomeUnusable(reason: string): void {
    this.downReason = `the database "${this.options.databaseFile}" can't be used: ${reason}`;
    this.state = 'down';
  }

  private takeAnswers(answers: readonly WriterAnswer[], marks: readonly CollectionMark[]): void {
    for (const mark of marks) this.marks.set(mark.collectionNumber, mark);
    for (const answer of answers) {
      const pending = this.pending[this.answered];
      if (pending === undefined) throw new Error('The writer answered more than it was asked');
      this.pending[this.answered] = SETTLED;
      this.answered += 1;
      settle(pending, answer);
    }
    const isWaiting = this.pending.length - this.answered > this.unsent.length;
    this.waitingSinceMs = isWaiting ? performance.now() : undefined;
    // Removing the front once per message would be quadratic for long queues.
    if (this.answered > 1_000 || this.answered === this.pending.length) {
      this.pending = this.pending.slice(this.answered);
      this.answered = 0;
    }
  }

  private lose(worker: Worker, error: unknown): void {
    if (worker !== this.worker) return;
    this.worker = undefined;
    this.onClosed?.();
    if (this.state === 'stopped') return;
    const wasRunning = this.state === 'running';
    if (wasRunning) this.downReason = `the writer thread failed: ${reasonOf(error)}`;
    this.state = 'down';
    this.unknownNumbers += this.countUnanswered();
    this.failAll();
    // The caller must restart a store that never opened.
    if (this.isFirst) return;
    this.options.onFailure?.(error);
    this.restartTimer = setTimeout(
      () => {
        this.startWorker().catch(() => undefined);
      },
      wasRunning ? 0 : RESTART_PAUSE_MS,
    );
  }

  private countUnanswered(): number {
    let count = 0;
    for (const pending of this.pending) count += pending.type === 'segment' ? pending.positions.length : 1;
    return count;
  }

  private failAll(): void {
    clearImmediate(this.flushTimer);
    this.flushTimer = undefined;
    this.openSegment = undefined;
    this.waitingSinceMs = undefined;
    this.unsent.length = 0;
    const lost = this.pending.slice(this.answered);
    this.pending = [];
    this.answered = 0;
    const answer: WriterAnswer = { type: 'failed', reason: this.downReason };
    for (const pending of lost) settle(pending, answer);
  }

  private unavailable(): MillraceError {
    return storageErrors.unavailable({ reason: this.downReason });
  }
}

function settle(pending: Pending, answer: WriterAnswer): void {
  if (answer.type === 'failed') {
    const error = storageErrors.unavailable({ reason: answer.reason });
    if (pending.type === 'entry') pending.reject(error);
    else pending.receivers.forEach((receiver, i) => receiver.failed(pending.positions[i] as number, error));
  } else if (pending.type === 'segment') {
    if (answer.type !== 'written') throw new Error('The writer answered another entry');
    const { codes, versions, replaced, seqs } = answer;
    for (let i = 0; i < pending.receivers.length; i += 1) {
      pending.receivers[i]?.written(pending.positions[i] as number, {
        code: codes[i] as number,
        version: versions[i] as number,
        packed: replaced?.get(i) ?? '',
        seq: seqs?.[i] ?? 0,
      });
    }
  } else if (answer.type !== 'written') pending.resolve(answer);
}
