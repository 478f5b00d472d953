import type { Clock, Logger } from '@millrace/kernel';
import type { Keyspace } from '../Keyspace.js';
import { acquireFolder, type ReleaseFolder } from './acquireFolder.js';
import type { LoggedCommand } from './encodeCommands.js';
import { LogFile } from './LogFile.js';
import { LogFolder } from './LogFolder.js';
import { toRecord } from './LogRecords.js';
import { LogRewrite } from './LogRewrite.js';
import { LogWriter, type SyncPolicy } from './LogWriter.js';
import { readLogFile } from './readLogFile.js';

/** Below this no rewrite is begun. */
const MIN_REWRITE_BYTES = 16_777_216;

/** What a command log is set up with. */
export interface CommandLogOptions {
  readonly folder: string;
  readonly sync: SyncPolicy;
  readonly clock: Clock;
  readonly logger: Logger;
  /** For tests: when a rewrite is begun. */
  readonly minRewriteBytes?: number;
}

/**
 * The durable side of the embedded engine: reads the log into the keyspace at the start, takes what commands did, and
 * writes all keys anew in the background once what happened since weighs more than they did.
 */
export class CommandLog {
  private readonly folder: LogFolder;
  private writer: LogWriter | undefined;
  private release: ReleaseFolder | undefined;
  private generation = 0;
  private baseBytes = 0;
  private rewriting: Promise<void> | undefined;
  private isClosing = false;

  constructor(
    private readonly options: CommandLogOptions,
    private readonly keyspace: Keyspace,
  ) {
    this.folder = new LogFolder(options.folder);
  }

  /**
   * Takes the folder and runs what the log holds.
   * @throws memory.unavailable where the folder is in use, or the log damaged
   */
  async open(run: (command: LoggedCommand) => void): Promise<void> {
    this.release = await acquireFolder(this.folder.path);
    try {
      await this.load(run);
    } catch (error) {
      await this.release();
      this.release = undefined;
      throw error;
    }
  }

  get failure(): string | undefined {
    return this.writer?.failure;
  }

  get syncedAtMs(): number {
    return this.writer?.syncedAtMs ?? 0;
  }

  get isRewriting(): boolean {
    return this.rewriting !== undefined;
  }

  /** Takes what one step did. @returns a promise where the answer has to wait for it */
  append(commands: readonly LoggedCommand[]): Promise<void> | undefined {
    const waited = this.writer?.append(toRecord(commands));
    const limit = Math.max(this.options.minRewriteBytes ?? MIN_REWRITE_BYTES, this.baseBytes);
    if ((this.writer?.size ?? 0) > limit) this.rewrite();
    return waited;
  }

  /** Resolves when everything up to now is on the disk. */
  async flush(): Promise<void> {
    await this.writer?.flush();
  }

  /** Begins a rewrite, unless one is under way. */
  rewrite(): void {
    if (this.rewriting !== undefined || this.isClosing) return;
    this.rewriting = this.runRewrite()
      .catch((error: unknown) => {
        this.options.logger.error({ err: error }, 'memory store: the log could not be rewritten');
      })
      .finally(() => {
        this.rewriting = undefined;
      });
  }

  /** Resolves when no rewrite is under way. */
  async settled(): Promise<void> {
    await this.rewriting;
  }

  async close(): Promise<void> {
    this.isClosing = true;
    await this.rewriting;
    await this.writer?.close();
    await this.release?.();
  }

  private async load(run: (command: LoggedCommand) => void): Promise<void> {
    const { base, changes } = this.folder.list();
    const runAll = (commands: readonly LoggedCommand[]) => commands.forEach(run);
    this.generation = Math.max(base ?? 0, changes.at(-1) ?? 0);
    if (base !== undefined) {
      const { goodBytes } = await readLogFile(this.folder.basePath(base), false, runAll);
      this.baseBytes = goodBytes;
    }
    let goodBytes = 0;
    for (const generation of changes) {
      const path = this.folder.changesPath(generation);
      // Each file but the last was completed before the next was begun.
      const reading = await readLogFile(path, generation === this.generation, runAll);
      ({ goodBytes } = reading);
      if (reading.tornBytes > 0) {
        const { tornBytes } = reading;
        this.options.logger.warn({ path, tornBytes }, 'memory store: the log was cut by a crash');
      }
    }
    if (changes.at(-1) !== this.generation) goodBytes = 0;
    const file = await LogFile.reopen(this.folder.changesPath(this.generation), goodBytes);
    await this.folder.clean(base ?? 0);
    this.writer = new LogWriter(file, this.options.sync, this.options.logger);
  }

  private async runRewrite(): Promise<void> {
    const { writer } = this;
    if (writer === undefined) return;
    const next = this.generation + 1;
    const file = await LogFile.create(this.folder.changesPath(next));
    await this.folder.sync();
    // From here on nothing may come between: the moment that the base describes.
    this.generation = next;
    writer.switchTo(file);
    const rewrite = new LogRewrite(this.keyspace, this.folder, next, this.options.clock);
    const baseBytes = await rewrite.run();
    if (baseBytes === undefined) {
      // All keys went meanwhile: what is left over is small, and the next rewrite will take it.
      this.baseBytes = 0;
      return;
    }
    this.baseBytes = baseBytes;
    // The change file before this one may still be waiting to be completed.
    await writer.flush();
    await this.folder.clean(next);
  }
}
