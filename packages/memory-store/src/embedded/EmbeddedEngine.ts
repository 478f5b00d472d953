import { join } from 'node:path';
import {
  memoryErrors,
  MillraceError,
  silentLogger,
  systemClock,
  type Clock,
  type EngineDescription,
  type Logger,
  type MaybePromise,
  type MemoryCommand,
  type MemoryReply,
  type MemoryStoreEngine,
  type MemoryTransaction,
} from '@millrace/kernel';
import { fromByteText, toByteText } from './byteText.js';
import { readBlocking, type Blocking } from './blockingKeys.js';
import { CommandRunner, type MemoryBound } from './CommandRunner.js';
import { EmbeddedTransaction } from './EmbeddedTransaction.js';
import { Keyspace } from './Keyspace.js';
import { CommandLog } from './log/CommandLog.js';
import type { LoggedCommand } from './log/encodeCommands.js';
import type { SyncPolicy } from './log/LogWriter.js';
import type { Reply } from './Reply.js';
import { showInfo } from './showInfo.js';
import { typeOf } from './values/Value.js';
import { WaitingCalls } from './WaitingCalls.js';
import { VERSION } from '../VERSION.js';

/** How an `EmbeddedEngine` is set up. */
export interface EmbeddedEngineOptions extends MemoryBound {
  /** Its log goes to `memory-store/` in this folder. Absent: nothing is kept beyond the process. */
  readonly dataDir?: string;
  readonly sync: SyncPolicy;
  /** Longest string value, in bytes. */
  readonly maxValueBytes: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** When the log is rewritten at the earliest, in bytes. */
  readonly minRewriteBytes?: number;
}

const FOLDER = 'memory-store';
/** How often due keys are looked for, and for how long each time. */
const EXPIRE_EVERY_MS = 100;
const EXPIRE_BUDGET_MS = 5;

/**
 * The embedded engine of the memory store: Redis commands on keys in the memory of this process, answered at once, with
 * an append-only log behind them. See `MemoryStoreEngine` for what each method promises.
 */
export class EmbeddedEngine implements MemoryStoreEngine {
  private readonly clock: Clock;
  private keyspace: Keyspace;
  private log: CommandLog | undefined;
  private runner: CommandRunner;
  private readonly waiting = new WaitingCalls();
  private timer: NodeJS.Timeout | undefined;
  private startedAtMs = 0;
  private stateText: string | undefined = 'it is not started';

  constructor(private readonly options: EmbeddedEngineOptions) {
    this.clock = options.clock ?? systemClock;
    this.keyspace = new Keyspace(this.clock, options.maxValueBytes);
    this.runner = new CommandRunner(this.keyspace, undefined, options);
  }

  /** @throws memory.unavailable where the folder is in use, or the log damaged */
  async start(): Promise<void> {
    if (this.stateText === undefined) return;
    const { options, clock } = this;
    this.keyspace = new Keyspace(clock, options.maxValueBytes);
    if (options.dataDir !== undefined) await this.openLog(join(options.dataDir, FOLDER));
    this.runner = new CommandRunner(this.keyspace, this.log, options);
    this.startedAtMs = clock.nowMs();
    this.timer = setInterval(() => this.expireDue(), EXPIRE_EVERY_MS).unref();
    this.stateText = undefined;
  }

  async stop(): Promise<void> {
    if (this.stateText !== undefined) return;
    this.stateText = 'it is stopped';
    clearInterval(this.timer);
    await this.log?.close();
    this.log = undefined;
  }

  describe(): EngineDescription {
    return {
      type: 'embedded',
      version: VERSION,
      mode: this.options.dataDir === undefined ? 'memory' : 'durable',
      memoryUsed: this.keyspace.usedBytes,
      memoryPeak: this.keyspace.peakBytes,
    };
  }

  /** @throws memory.unavailable also while the log can't be written: reads are answered then, writes refused */
  ping(): void {
    this.assertOpen();
    const reason = this.log?.failure;
    if (reason !== undefined) throw memoryErrors.unavailable({ reason });
  }

  run(command: MemoryCommand): MaybePromise<MemoryReply> {
    this.assertOpen();
    const own = this.runOwn(command);
    if (own !== undefined) return own;
    return this.answer(() => toMemoryReply(this.runner.run(toWords(command))));
  }

  async block(command: MemoryCommand, signal: AbortSignal): Promise<MemoryReply> {
    this.assertOpen();
    const words = toWords(command);
    // Read before it runs: it names the ids that are the last ones now.
    const blocking = readBlocking(this.keyspace, words);
    const first = await this.answer(() => this.runner.run(blocking?.command ?? words));
    if (first !== null || blocking === undefined) return toMemoryReply(first);
    const reply = await this.waiting.wait({
      keys: blocking.keys,
      timeoutMs: blocking.timeoutMs,
      signal,
      attempt: (key) => this.attempt(blocking, key),
    });
    // It was served by somebody else's command: its answer waits for the disk like that one's.
    if (this.options.sync === 'always') await this.flush();
    return toMemoryReply(reply);
  }

  openTransaction(): MemoryTransaction {
    this.assertOpen();
    return new EmbeddedTransaction(this.keyspace, (commands) => this.runAll(commands));
  }

  /** Resolves when everything up to now is on the disk. @throws memory.unavailable where it can't be written */
  async flush(): Promise<void> {
    await this.log?.flush();
  }

  /** Begins to rewrite the log, and resolves when that is done. */
  async rewriteLog(): Promise<void> {
    this.log?.rewrite();
    await this.log?.settled();
  }

  private async openLog(folder: string): Promise<void> {
    const { options, keyspace, clock } = this;
    const log = new CommandLog(
      {
        folder,
        sync: options.sync,
        clock,
        logger: options.logger ?? silentLogger,
        ...(options.minRewriteBytes === undefined ? undefined : { minRewriteBytes: options.minRewriteBytes }), // prettier-ignore
      },
      keyspace,
    );
    const replayer = new CommandRunner(keyspace, undefined, { maxMemory: 0, evictionPolicy: 'noeviction' }); // prettier-ignore
    keyspace.isLoading = true;
    await log.open((command) => {
      replay(replayer, command);
      keyspace.readyKeys.clear();
    });
    keyspace.isLoading = false;
    this.log = log;
  }

  /** Commands on the engine rather than on keys. */
  private runOwn([name, ...args]: MemoryCommand): MaybePromise<MemoryReply> | undefined {
    switch (name) {
      case 'INFO':
        return this.info(args[0]);
      case 'SAVE':
        return this.flush().then(() => 'OK');
      case 'BGSAVE':
        void this.flush().catch(() => undefined);
        return 'Background saving started';
      case 'BGREWRITEAOF':
        this.log?.rewrite();
        return 'Background append only file rewriting started';
      case 'LASTSAVE':
        return Math.floor((this.log?.syncedAtMs ?? this.startedAtMs) / 1000);
      default:
        return undefined;
    }
  }

  private info(section: MemoryCommand[number] | undefined): string {
    const { options, keyspace, startedAtMs, log } = this;
    return showInfo(
      {
        keyspace,
        startedAtMs,
        commandCount: this.runner.commandCount,
        maxMemory: options.maxMemory,
        evictionPolicy: options.evictionPolicy,
        isDurable: log !== undefined,
        isRewriting: log?.isRewriting === true,
        syncedAtMs: log?.syncedAtMs ?? startedAtMs,
        version: VERSION,
      },
      typeof section === 'string' ? section : undefined,
    );
  }

  private runAll(commands: readonly MemoryCommand[]) {
    return this.answer(() =>
      this.runner.gather(() => commands.map((command) => this.runOne(command))),
    );
  }

  /** One command of a transaction: what fails stands in its place. */
  private runOne(command: MemoryCommand): MemoryReply | MillraceError {
    try {
      const own = this.runOwn(command);
      if (own !== undefined && !(own instanceof Promise)) return own;
      return toMemoryReply(this.runner.run(toWords(command)));
    } catch (error) {
      if (error instanceof MillraceError) return error;
      throw error;
    }
  }

  /** Runs a step, then serves who waits for what it made; the answer waits where the log says so. */
  private answer<T>(step: () => T): MaybePromise<T> {
    try {
      const reply = step();
      this.waiting.serve(this.keyspace.readyKeys);
      const logged = this.runner.takeLogged();
      return logged === undefined ? reply : logged.then(() => reply);
    } catch (error) {
      this.waiting.serve(this.keyspace.readyKeys);
      throw error;
    }
  }

  /** The command of somebody who waits; a key of another type is as good as none. */
  private attempt({ type, commandFor }: Blocking, key: string): Reply {
    const entry = this.keyspace.find(key);
    if (entry === undefined || typeOf(entry.value) !== type) return null;
    return this.runner.run(commandFor(key));
  }

  private expireDue(): void {
    if (!this.keyspace.expireDue(EXPIRE_BUDGET_MS)) setImmediate(() => this.expireDue());
    if (this.stateText === undefined) this.runner.recordExpired();
  }

  private assertOpen(): void {
    if (this.stateText !== undefined) throw memoryErrors.unavailable({ reason: this.stateText });
  }
}

/** A command that failed after it had changed something fails again in the same way. */
function replay(runner: CommandRunner, command: LoggedCommand): void {
  try {
    runner.run(command);
  } catch (error) {
    if (!(error instanceof MillraceError)) throw error;
  }
}

function toWords([name, ...args]: MemoryCommand): string[] {
  const words = [name];
  for (const arg of args) {
    words.push(typeof arg === 'string' ? toByteText(arg) : Buffer.from(arg).toString('latin1'));
  }
  return words;
}

function toMemoryReply(reply: Reply): MemoryReply {
  if (typeof reply === 'string') return fromByteText(reply);
  if (typeof reply === 'bigint') return String(reply);
  // Times of keys that last for ages: every number of a command is an integer.
  if (typeof reply === 'number' && !Number.isSafeInteger(reply)) return String(BigInt(reply));
  if (Array.isArray(reply)) return (reply as readonly Reply[]).map(toMemoryReply);
  return reply as MemoryReply;
}
