import { memoryErrors, type Logger } from '@millrace/kernel';
import { messageOf, type LogFile } from './LogFile.js';

/** When logged data is synced to the disk. */
export type SyncPolicy = 'everysec' | 'always';

const SYNC_EVERY_MS = 1_000;
const RETRY_AFTER_MS = 1_000;
/** If more bytes than this wait for a slow disk, commands wait too. */
const MAX_WAITING_BYTES = 67_108_864;
/** Written data is held in memory until it is synced, up to this amount. */
const MAX_UNSYNCED_BYTES = 33_554_432;
/** Records are combined into writes up to this size. */
const BATCH_BYTES = 4_194_304;

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

type Step =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'sync'; readonly done: Waiter | undefined }
  | { readonly kind: 'next'; readonly create: () => Promise<LogFile>; readonly done: Waiter };

/** Options of a writer. */
export interface LogWriterOptions {
  readonly policy: SyncPolicy;
  readonly logger: Logger;
  /** For tests: the pause after a failure. */
  readonly retryAfterMs?: number;
}

/**
 * Design note. Records are collected and written by one asynchronous loop: during a write the next ones accumulate, so
 * that a busy disk gets larger writes rather than more of them, and the event loop never waits. With `everysec` data is
 * written to the operating system within one turn of the loop, which alone survives `kill -9`, and synced to the disk
 * within a second, as in Redis; with `always` each batch is synced before its commands are answered. A failed write or
 * sync is repeated (a sync with the bytes it concerned, see `LogFile`); until it succeeds, further writes are refused
 * and nothing that waits is answered.
 *
 * Syncs and file switches are steps between the records, not moments at which nothing waits: under a steady load such a
 * moment never comes.
 */
export class LogWriter {
  private steps: Step[] = [];
  private waitingBytes = 0;
  private waiters: Waiter[] = [];
  private loop: Promise<void> | undefined;
  private lastSyncAtMs = Date.now();
  private timer: NodeJS.Timeout | undefined;
  private failureText: string | undefined;
  private isClosing = false;

  constructor(
    private file: LogFile,
    private readonly options: LogWriterOptions,
  ) {
    if (options.policy === 'everysec') {
      this.timer = setInterval(() => this.syncSoon(), SYNC_EVERY_MS).unref();
    }
  }

  /** Why writes can't be accepted, without file names; undefined if they can. */
  get failure(): string | undefined {
    const code = this.failureText ?? this.file.doubt;
    return code === undefined ? undefined : `its log can't be written: ${code}`;
  }

  /** Size of the current file and the data waiting for it, in bytes. */
  get size(): number {
    return this.file.size + this.waitingBytes;
  }

  /** UTC milliseconds of the last time when everything was on the disk. */
  get syncedAtMs(): number {
    return this.lastSyncAtMs;
  }

  /** Adds a record. @returns a promise if the command must wait for it */
  append(record: Buffer): Promise<void> | undefined {
    this.waitingBytes += record.length;
    this.push({ kind: 'bytes', bytes: record });
    return this.options.policy === 'always' || this.waitingBytes > MAX_WAITING_BYTES
      ? new Promise((resolve, reject) => this.waiters.push({ resolve, reject }))
      : undefined;
  }

  /**
   * Writes later records to another file, which is created once the current one is complete, synced and closed.
   * @returns resolves then; rejects if the writer is closed before
   */
  switchTo(create: () => Promise<LogFile>): Promise<void> {
    return new Promise((resolve, reject) => this.push({ kind: 'next', create, done: { resolve, reject } }));
  }

  /** Resolves when all changes so far are on the disk. @throws memory.unavailable while that fails */
  async flush(): Promise<void> {
    const { failure } = this;
    if (failure !== undefined) throw memoryErrors.unavailable({ reason: failure });
    await new Promise<void>((resolve, reject) => this.push({ kind: 'sync', done: { resolve, reject } }));
  }

  /** Completes and closes the file. */
  async close(): Promise<void> {
    this.isClosing = true;
    clearInterval(this.timer);
    try {
      while (this.loop !== undefined) await this.loop;
      await this.file.finish();
    } finally {
      await this.file.close();
    }
  }

  private push(step: Step): void {
    this.steps.push(step);
    this.start();
  }

  private start(): void {
    this.loop ??= this.run().finally(() => {
      this.loop = undefined;
      // Records may have arrived since the last check.
      if (this.steps.length > 0) this.start();
    });
  }

  private async run(): Promise<void> {
    // Collects the commands of this turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.steps.length > 0) {
      const steps = this.steps;
      const waiters = this.waiters;
      this.steps = [];
      this.waiters = [];
      try {
        for (const batch of batches(steps)) await this.perform(batch);
        if (this.options.policy === 'always') await this.insist(() => this.sync());
      } catch (error) {
        // Reached only if the writer is being closed: work that wasn't done is not acknowledged.
        for (const step of [...steps, ...this.steps]) if (step.kind !== 'bytes') step.done?.reject(error);
        for (const { reject } of [...waiters, ...this.waiters]) reject(error);
        [this.steps, this.waiters] = [[], []];
        throw error;
      }
      for (const { resolve } of waiters) resolve();
    }
  }

  private async perform(step: Step): Promise<void> {
    switch (step.kind) {
      case 'bytes':
        await this.insist(() => this.file.write(step.bytes));
        this.waitingBytes -= step.bytes.length;
        if (this.file.unsyncedBytes > MAX_UNSYNCED_BYTES) await this.insist(() => this.sync());
        return;
      case 'sync':
        await this.insist(() => this.sync());
        step.done?.resolve();
        return;
      case 'next':
        await this.insist(async () => {
          await this.file.finish();
          this.file = await step.create();
        });
        step.done.resolve();
    }
  }

  private async sync(): Promise<void> {
    const startedAtMs = Date.now();
    await this.file.sync();
    this.lastSyncAtMs = startedAtMs;
  }

  private syncSoon(): void {
    if (this.file.unsyncedBytes === 0 || this.failureText !== undefined) return;
    this.sync().catch((error: unknown) => {
      // While the file is in doubt, no write is accepted; the loop repeats the sync until it succeeds.
      this.options.logger.error({ err: error }, 'memory store: the log can not be synced');
      this.push({ kind: 'sync', done: undefined });
    });
  }

  /** Repeats the work until it succeeds, or until the writer is closed. */
  private async insist(work: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        await work();
        this.failureText = undefined;
        return;
      } catch (error) {
        if (this.isClosing) throw error;
        this.failureText = messageOf(error);
        this.options.logger.error({ err: error }, 'memory store: the log can not be written');
        await pause(this.options.retryAfterMs ?? RETRY_AFTER_MS);
      }
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Combines adjacent records up to a certain size. */
function* batches(steps: readonly Step[]): Iterable<Step> {
  let [gathered, bytes]: [Buffer[], number] = [[], 0];
  const join = (): Step => {
    const [only] = gathered;
    const joined = gathered.length === 1 && only !== undefined ? only : Buffer.concat(gathered);
    [gathered, bytes] = [[], 0];
    return { kind: 'bytes', bytes: joined };
  };
  for (const step of steps) {
    if (step.kind === 'bytes') {
      gathered.push(step.bytes);
      bytes += step.bytes.length;
      if (bytes >= BATCH_BYTES) yield join();
    } else {
      if (gathered.length > 0) yield join();
      yield step;
    }
  }
  if (gathered.length > 0) yield join();
}
