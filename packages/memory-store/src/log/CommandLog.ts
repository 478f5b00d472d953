import type { Clock, Logger, MaybePromise } from '@millrace/kernel';
import type { Keyspace } from '../keyspace/Keyspace.js';
import type { Steps } from '../steps/Steps.js';
import { acquireFolder, type ReleaseFolder } from './acquireFolder.js';
import type { LoggedCommand } from './encodeCommands.js';
import { LogFile, openLogHandle } from './LogFile.js';
import { LogFolder } from './LogFolder.js';
import { toRecord } from './LogRecords.js';
import { LogRewrite } from './LogRewrite.js';
import { LogWriter, type SyncPolicy } from './LogWriter.js';
import { hasRecords, readLogFile, type LogReading } from './readLogFile.js';

/** Below this size no rewrite is started. */
const MIN_REWRITE_BYTES = 16_777_216;

/** Runs a function while no command is running; resolves when it is done. */
export type AtRest = (work: () => void | Steps<void>) => MaybePromise<void>;

/** Options of a command log. */
export interface CommandLogOptions {
  readonly folder: string;
  readonly sync: SyncPolicy;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Runs a function while no command is running. */
  readonly atRest: AtRest;
  /** For tests: the size at which a rewrite starts. */
  readonly minRewriteBytes?: number;
}

/**
 * The durable side of the embedded engine: reads the log into the keyspace at the start, appends the effects of
 * commands, and rewrites the log from all keys in the background once the changes since the last rewrite take more
 * bytes than the keys did.
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
   * Locks the folder and runs the commands of the log.
   * @throws memory.unavailable if the folder is in use, or the log damaged
   */
  async open(run: (command: LoggedCommand) => void): Promise<void> {
    this.release = await acquireFolder(this.folder.path, this.options.logger);
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

  /** Appends the effects of one step. @returns a promise if the answer must wait for it */
  append(commands: readonly LoggedCommand[]): Promise<void> | undefined {
    return this.appendRecord(toRecord(commands));
  }

  /** As `append`, for a record made by `toRecord`. */
  appendRecord(record: Buffer): Promise<void> | undefined {
    const waited = this.writer?.append(record);
    if (this.isRewriteDue) this.rewrite();
    return waited;
  }

  /** The log takes at most twice this size, plus what arrives during one rewrite. */
  private get isRewriteDue(): boolean {
    const limit = Math.max(this.options.minRewriteBytes ?? MIN_REWRITE_BYTES, this.baseBytes);
    return (this.writer?.size ?? 0) > limit;
  }

  /** Resolves when all changes so far are on the disk. */
  async flush(): Promise<void> {
    await this.writer?.flush();
  }

  /** Starts a rewrite, unless one is running. */
  rewrite(): void {
    if (this.rewriting !== undefined || this.isClosing) return;
    this.rewriting = this.runRewrite().then(
      () => {
        this.rewriting = undefined;
        if (this.isRewriteDue) this.rewrite();
      },
      (error: unknown) => {
        this.rewriting = undefined;
        this.options.logger.error({ err: error }, 'memory store: the log could not be rewritten');
      },
    );
  }

  /** Resolves when no rewrite is running. */
  async settled(): Promise<void> {
    while (this.rewriting !== undefined) await this.rewriting;
  }

  async close(): Promise<void> {
    this.isClosing = true;
    // A log that can't be written blocks a rewrite: closing the writer ends both.
    const closed = this.writer?.close();
    try {
      await Promise.all([closed, this.rewriting]);
    } finally {
      await this.release?.();
    }
  }

  private async load(run: (command: LoggedCommand) => void): Promise<void> {
    const { base, changes } = this.folder.list();
    const runAll = (commands: readonly LoggedCommand[]) => commands.forEach(run);
    this.generation = Math.max(base ?? 0, changes.at(-1) ?? 0);
    if (base !== undefined) {
      const { goodBytes } = await readLogFile(this.folder.basePath(base), false, runAll);
      this.baseBytes = goodBytes;
    }
    const file = await this.replay(changes, runAll);
    await this.folder.clean(base ?? 0);
    this.writer = new LogWriter(file, { policy: this.options.sync, logger: this.options.logger });
  }

  /** Runs the change files in order. @returns the last one, or a new one, open for appending */
  private async replay(
    changes: readonly number[],
    run: (commands: readonly LoggedCommand[]) => void,
  ): Promise<LogFile> {
    const paths = changes.map((generation) => this.folder.changesPath(generation));
    const filled = await Promise.all(paths.map(hasRecords));
    for (const [at, path] of paths.entries()) {
      const isLast = at === paths.length - 1;
      // A file is complete and synced before the next one is created. An older version created the next one first; the
      // next one is then empty.
      const reading = await readLogFile(path, !filled.slice(at + 1).includes(true), run);
      this.reportTorn(path, reading);
      if (isLast && reading.hasHead) return LogFile.reopen(path, reading.goodBytes);
      if (reading.tornBytes > 0) await cutFile(path, reading);
    }
    if (paths.length > 0) this.generation++;
    const file = await LogFile.create(this.folder.changesPath(this.generation));
    await this.folder.sync();
    return file;
  }

  private reportTorn(path: string, { goodBytes, tornBytes, lostBytes }: LogReading): void {
    const { logger } = this.options;
    const facts = { path, offset: goodBytes, bytes: tornBytes };
    if (lostBytes > 0) {
      logger.error(
        { ...facts, lostBytes },
        'memory store: the log is shorter than what the disk had confirmed; continuing with what is left',
      );
    } else if (tornBytes > 0) {
      logger.warn(
        facts,
        `memory store: ${path} was cut at byte ${goodBytes}: ${tornBytes} bytes behind it had not reached the disk when the process ended`,
      );
    }
  }

  private async runRewrite(): Promise<void> {
    const { writer } = this;
    if (writer === undefined) return;
    const next = this.generation + 1;
    const create = async () => {
      const file = await LogFile.create(this.folder.changesPath(next));
      await this.folder.sync();
      return file;
    };
    const { clock, atRest } = this.options;
    const rewrite = new LogRewrite(this.keyspace, this.folder, next, clock, atRest);
    let switched: Promise<void> | undefined;
    // The moment that the base describes: no command is in progress.
    await atRest(() => {
      rewrite.begin();
      this.generation = next;
      switched = writer.switchTo(create);
      switched.catch(() => undefined);
    });
    const baseBytes = await rewrite.run(switched);
    // If all keys were removed in the meantime, the rest is small, and the next rewrite will include it.
    this.baseBytes = baseBytes ?? 0;
    if (baseBytes !== undefined) await this.folder.clean(next);
  }
}

/** Truncates a file that is not continued after its last good byte. */
export async function cutFile(path: string, { goodBytes, hasHead }: LogReading): Promise<void> {
  if (hasHead) {
    await (await LogFile.reopen(path, goodBytes)).finish();
    return;
  }
  const handle = await openLogHandle(path, false);
  try {
    await handle.truncate(goodBytes);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
