import { memoryErrors, type Logger } from '@millrace/kernel';
import type { LogFile } from './LogFile.js';

/** When what is logged is forced to the disk. */
export type SyncPolicy = 'everysec' | 'always';

const SYNC_EVERY_MS = 1_000;
const RETRY_AFTER_MS = 1_000;
/** Past so many bytes waiting for a slow disk, commands wait too. */
const MAX_WAITING_BYTES = 67_108_864;

type Step =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'file'; readonly file: LogFile };

interface Waiter {
  readonly resolve: () => void;
}

/**
 * Design note. Records are collected and written by one asynchronous loop: while a write is under way the next ones
 * gather, so that a busy disk makes bigger writes and never more of them, and the event loop never waits. With
 * `everysec` a write reaches the operating system within one turn of the loop, which alone survives `kill -9`, and the
 * disk within a second, as with Redis; with `always` each batch is forced before its commands are answered. A write that
 * fails is tried again at the same place of the file; until it succeeds, further writes are refused.
 */
export class LogWriter {
  private steps: Step[] = [];
  private waitingBytes = 0;
  private waiters: Waiter[] = [];
  private loop: Promise<void> | undefined;
  private unsyncedBytes = 0;
  private lastSyncAtMs = Date.now();
  private timer: NodeJS.Timeout | undefined;
  private failureText: string | undefined;
  private isClosing = false;

  constructor(
    private file: LogFile,
    private readonly policy: SyncPolicy,
    private readonly log: Logger,
  ) {
    if (policy === 'everysec') {
      this.timer = setInterval(() => this.syncSoon(), SYNC_EVERY_MS).unref();
    }
  }

  /** What keeps writes from being taken; undefined while all is well. */
  get failure(): string | undefined {
    return this.failureText;
  }

  /** Of the present file with what waits for it, in bytes. */
  get size(): number {
    return this.file.size + this.waitingBytes;
  }

  /** UTC milliseconds of the last time everything was on the disk. */
  get syncedAtMs(): number {
    return this.lastSyncAtMs;
  }

  /** Adds a record. @returns a promise where the command has to wait for it */
  append(record: Buffer): Promise<void> | undefined {
    this.steps.push({ kind: 'bytes', bytes: record });
    this.waitingBytes += record.length;
    this.start();
    return this.policy === 'always' || this.waitingBytes > MAX_WAITING_BYTES
      ? new Promise((resolve) => this.waiters.push({ resolve }))
      : undefined;
  }

  /** Records from now on go to another file; the present one is completed and closed. */
  switchTo(file: LogFile): void {
    this.steps.push({ kind: 'file', file });
    this.start();
  }

  /** Resolves when everything up to now is on the disk. */
  async flush(): Promise<void> {
    if (this.failureText !== undefined)
      throw memoryErrors.unavailable({ reason: this.failureText });
    await this.loop;
    await this.sync();
  }

  /** Completes the file and closes it. */
  async close(): Promise<void> {
    this.isClosing = true;
    clearInterval(this.timer);
    await this.loop;
    await this.file.sync();
    await this.file.close();
  }

  private start(): void {
    this.loop ??= this.run().finally(() => {
      this.loop = undefined;
      // What came in between the last look and now.
      if (this.steps.length > 0 && !this.isClosing) this.start();
    });
  }

  private async run(): Promise<void> {
    // Lets the commands of this turn of the event loop gather.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.steps.length > 0) {
      const steps = this.steps;
      const waiters = this.waiters;
      this.steps = [];
      this.waiters = [];
      for (const batch of batches(steps)) await this.insist(() => this.perform(batch));
      if (this.policy === 'always') await this.insist(() => this.sync());
      for (const { resolve } of waiters) resolve();
    }
  }

  private async perform(batch: Step): Promise<void> {
    if (batch.kind === 'bytes') {
      await this.file.write(batch.bytes);
      this.waitingBytes -= batch.bytes.length;
      this.unsyncedBytes += batch.bytes.length;
      return;
    }
    await this.file.sync();
    await this.file.close();
    this.file = batch.file;
    this.unsyncedBytes = 0;
  }

  private async sync(): Promise<void> {
    const syncedBytes = this.unsyncedBytes;
    const startedAtMs = Date.now();
    await this.file.sync();
    // What was written meanwhile is left for the next time.
    this.unsyncedBytes = Math.max(0, this.unsyncedBytes - syncedBytes);
    this.lastSyncAtMs = startedAtMs;
  }

  private syncSoon(): void {
    // One that is under way does it all; a file that is being changed is forced by whoever changes it.
    if (this.unsyncedBytes === 0) return;
    this.sync().catch((error: unknown) =>
      this.log.error({ err: error }, 'memory store: sync failed'),
    );
  }

  /** Does it until it succeeds, or until the store is closed. */
  private async insist(work: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        await work();
        this.failureText = undefined;
        return;
      } catch (error) {
        if (this.isClosing) throw error;
        this.failureText = `its log can't be written: ${(error as Error).message}`;
        this.log.error({ err: error }, 'memory store: the log can not be written');
        await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
      }
    }
  }
}

/** Neighbouring records as one. */
function* batches(steps: readonly Step[]): Iterable<Step> {
  let gathered: Buffer[] = [];
  const join = (): Step => ({ kind: 'bytes', bytes: Buffer.concat(gathered) });
  for (const step of steps) {
    if (step.kind === 'bytes') {
      gathered.push(step.bytes);
      continue;
    }
    if (gathered.length > 0) yield join();
    gathered = [];
    yield step;
  }
  if (gathered.length > 0) yield join();
}
