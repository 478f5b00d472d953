import { join } from 'node:path';
import {
  isThenable,
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
import type { Blocking } from '../commands/Blocking.js';
import type { Command } from '../commands/Command.js';
import { commandOf } from '../commands/COMMANDS.js';
import { toByteText } from './byteText.js';
import { CommandGate } from './CommandGate.js';
import { CommandRunner, type MemoryBound } from './CommandRunner.js';
import { ENGINE_COMMANDS } from './ENGINE_COMMANDS.js';
import { EmbeddedTransaction } from './EmbeddedTransaction.js';
import { Keyspace } from '../keyspace/Keyspace.js';
import { CommandLog } from '../log/CommandLog.js';
import { MEMORY_STORE_FOLDER } from '../log/copyMemoryStore.js';
import type { LoggedCommand } from '../log/encodeCommands.js';
import type { SyncPolicy } from '../log/LogWriter.js';
import type { Reply } from '../keyspace/Reply.js';
import { showInfo } from './showInfo.js';
import { isSteps, runToEnd, type Steps } from '../steps/Steps.js';
import { Slices } from '../steps/Slices.js';
import { toMaxMemory } from './toMaxMemory.js';
import { toMemoryReply } from './toMemoryReply.js';
import { typeOf } from '../keyspace/values/Value.js';
import { WaitingCalls } from './WaitingCalls.js';
import { VERSION } from '../VERSION.js';

/** Options of an `EmbeddedEngine`. `maxMemory` may be `QUARTER_OF_MEMORY`. */
export interface EmbeddedEngineOptions extends MemoryBound {
  /** Its log is stored in `memory-store/` in this folder. Absent: nothing outlives the process. */
  readonly dataDir?: string;
  readonly sync: SyncPolicy;
  /** Longest string value, in bytes. */
  readonly maxValueBytes: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Smallest log size at which it is rewritten, in bytes. */
  readonly minRewriteBytes?: number;
}

/** A reply, and what it must wait for before it is returned. */
interface Outcome<T> {
  readonly reply: T;
  readonly logged: Promise<void> | undefined;
}

/** A command with more words may take longer than a slice: other commands run first. */
const MANY_WORDS = 1_000;
const LARGE_BYTES = 262_144;
/** How often expired keys are removed, and for how long each time. */
const EXPIRE_EVERY_MS = 100;
const EXPIRE_BUDGET_MS = 5;

/**
 * The embedded engine of the memory store: runs Redis commands on keys in the memory of this process, without waiting,
 * and appends changes to a log. See `MemoryStoreEngine` for the contract of each method.
 */
export class EmbeddedEngine implements MemoryStoreEngine {
  private readonly options: EmbeddedEngineOptions;
  private readonly clock: Clock;
  private keyspace: Keyspace;
  private log: CommandLog | undefined;
  private runner: CommandRunner;
  private readonly waiting = new WaitingCalls();
  private readonly gate = new CommandGate();
  private readonly replies = new Slices();
  private transactionCount = 0;
  private timer: NodeJS.Timeout | undefined;
  private startedAtMs = 0;
  private stateText: string | undefined = 'it is not started';

  constructor(options: EmbeddedEngineOptions) {
    this.options = { ...options, maxMemory: toMaxMemory(options.maxMemory) };
    this.clock = options.clock ?? systemClock;
    this.keyspace = new Keyspace(this.clock, options.maxValueBytes);
    this.runner = new CommandRunner(this.keyspace, undefined, this.options);
  }

  /** @throws memory.unavailable if the folder is in use, or the log damaged */
  async start(): Promise<void> {
    if (this.stateText === undefined) return;
    const { options, clock } = this;
    this.keyspace = new Keyspace(clock, options.maxValueBytes);
    if (options.dataDir !== undefined) await this.openLog(join(options.dataDir, MEMORY_STORE_FOLDER));
    this.runner = new CommandRunner(this.keyspace, this.log, options);
    this.startedAtMs = clock.nowMs();
    this.timer = setInterval(() => this.expireDue(), EXPIRE_EVERY_MS).unref();
    this.stateText = undefined;
  }

  async stop(): Promise<void> {
    if (this.stateText !== undefined) return;
    this.stateText = 'it is stopped';
    clearInterval(this.timer);
    await this.gate.close(this.stateText);
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

  /** @throws memory.unavailable also while the log can't be written: reads are then answered, writes refused */
  ping(): void {
    this.assertOpen();
    const reason = this.log?.failure;
    if (reason !== undefined) throw memoryErrors.unavailable({ reason });
  }

  run(command: MemoryCommand, caller = ''): MaybePromise<MemoryReply> {
    this.assertOpen();
    const found = commandOf(command[0]);
    const args = toArgs(command);
    const own = this.runOwn(found, args);
    if (own !== undefined) return own;
    return this.answer(caller, found, args, () => this.runner.run(found, args));
  }

  async block(command: MemoryCommand, signal: AbortSignal): Promise<MemoryReply> {
    this.assertOpen();
    const found = commandOf(command[0]);
    const args = toArgs(command);
    let blocking: Blocking | undefined;
    const first = await this.answer('', found, args, () => {
      // Parsed before the command runs: `$` refers to the current last ids.
      blocking = found.blocks?.(this.keyspace, args);
      return this.runner.run(found, blocking?.args ?? args);
    });
    if (first !== null || blocking === undefined) return first;
    const { keys, timeoutMs, type, argsFor } = blocking;
    const reply = await this.waiting.wait({
      keys,
      timeoutMs,
      signal,
      attempt: (key) => {
        const entry = this.keyspace.find(key);
        if (entry === undefined || typeOf(entry.value) !== type) return null;
        // It reads only entries that have just been added, so it needs no slices.
        return runToEnd(this.runner.run(found, argsFor(key)));
      },
    });
    // Another caller's command served it: its answer waits for the disk like the other one's.
    if (this.options.sync === 'always') await this.flush();
    return toMemoryReply(reply, this.replies);
  }

  openTransaction(): MemoryTransaction {
    this.assertOpen();
    const caller = `transaction ${++this.transactionCount}`;
    return new EmbeddedTransaction({
      keyspace: this.keyspace,
      atRest: (work) => this.atRest(work),
      runAll: (commands, isDirty) => this.runAll(caller, commands, isDirty),
    });
  }

  /** Resolves when all changes so far are on the disk. @throws memory.unavailable if they can't be written */
  async flush(): Promise<void> {
    await this.log?.flush();
  }

  /** Starts a log rewrite, and resolves when it is done. */
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
        atRest: (work) => this.atRest(work),
        ...(options.minRewriteBytes === undefined ? undefined : { minRewriteBytes: options.minRewriteBytes }),
      },
      keyspace,
    );
    const replayer = new CommandRunner(keyspace, undefined, {
      maxMemory: 0,
      evictionPolicy: 'noeviction',
    });
    keyspace.isLoading = true;
    await log.open((command) => {
      replay(replayer, command);
      keyspace.readyKeys.clear();
    });
    keyspace.isLoading = false;
    this.log = log;
  }

  /** When changes were last on the disk, in UTC milliseconds. */
  get savedAtMs(): number {
    return this.log?.syncedAtMs ?? this.startedAtMs;
  }

  /** One section of `info`, or all. */
  info(section: string | undefined): string {
    const { options, keyspace, startedAtMs, log } = this;
    return showInfo(
      {
        keyspace,
        startedAtMs,
        commandCount: this.runner.commandCount,
        waitingCount: this.waiting.count,
        maxMemory: options.maxMemory,
        evictionPolicy: options.evictionPolicy,
        isDurable: log !== undefined,
        isRewriting: log?.isRewriting === true,
        syncedAtMs: this.savedAtMs,
        version: VERSION,
      },
      section,
    );
  }

  /** Runs commands without any other in between; a failed one returns its error instead of a reply. */
  private async runAll(
    caller: string,
    commands: readonly MemoryCommand[],
    isDirty: () => boolean,
  ): Promise<readonly (MemoryReply | MillraceError)[] | null> {
    this.assertOpen();
    const works = commands.map((command) => () => this.runOne(command));
    const { reply, logged } = await this.gate.run({
      caller,
      run: () => (isDirty() ? { reply: null, logged: undefined } : this.step(() => this.runner.gather(works))),
      isCostly: () => true,
    });
    await logged;
    if (reply === null) return null;
    const answers: (MemoryReply | MillraceError)[] = [];
    for (const each of reply) {
      answers.push(each instanceof MillraceError ? each : await toMemoryReply(each, this.replies));
    }
    return answers;
  }

  /** Runs one command of a transaction: returns its reply or its error. */
  private *runOne(command: MemoryCommand): Steps<Reply | MillraceError> {
    try {
      const found = commandOf(command[0]);
      const args = toArgs(command);
      const own = this.runOwn(found, args);
      if (own !== undefined && !isThenable(own)) return own;
      const outcome = this.runner.run(found, args);
      return isSteps(outcome) ? yield* outcome : outcome;
    } catch (error) {
      if (error instanceof MillraceError) return error;
      throw error;
    }
  }

  /** The reply of a command on the engine itself; undefined for one on its keys. */
  private runOwn({ run, word }: Command, args: readonly string[]): MaybePromise<MemoryReply> | undefined {
    return run === undefined ? ENGINE_COMMANDS[word]?.(this, args) : undefined;
  }

  /** Runs a command in its turn; the answer waits if the log requires it. */
  private answer(
    caller: string,
    command: Command,
    args: readonly string[],
    work: () => Reply | Steps<Reply>,
  ): MaybePromise<MemoryReply> {
    const outcome = this.gate.run({
      caller,
      run: () => this.step(work),
      isCostly: () => this.mayTakeLong(command, args),
    });
    return isThenable(outcome) ? outcome.then((done) => this.show(done)) : this.show(outcome);
  }

  private show({ reply, logged }: Outcome<Reply>): MaybePromise<MemoryReply> {
    const answer = toMemoryReply(reply, this.replies);
    return logged === undefined ? answer : logged.then(() => answer);
  }

  /** Runs a step, then serves the calls that wait for its results. */
  private step<T>(work: () => T | Steps<T>): Outcome<T> | Steps<Outcome<T>> {
    try {
      const outcome = work();
      return isSteps(outcome) ? this.stepOn(outcome) : this.outcomeOf(outcome);
    } catch (error) {
      this.waiting.serve(this.keyspace.readyKeys);
      throw error;
    }
  }

  private *stepOn<T>(steps: Steps<T>): Steps<Outcome<T>> {
    try {
      return this.outcomeOf(yield* steps);
    } finally {
      this.waiting.serve(this.keyspace.readyKeys);
    }
  }

  private outcomeOf<T>(reply: T): Outcome<T> {
    this.waiting.serve(this.keyspace.readyKeys);
    return { reply, logged: this.runner.takeLogged() };
  }

  /** Whether a command involves so much data that it may take longer than a slice. */
  private mayTakeLong({ cost }: Command, args: readonly string[]): boolean {
    if (cost === 'all keys') return this.keyspace.size > MANY_WORDS;
    if (args.length > MANY_WORDS || cost === 'unbounded') return true;
    if (this.keyspace.unsaved(args, true).length > 0) return true;
    if (cost === undefined || (cost === 'by count' && args.length === 1)) return false;
    const givenBytes = args.reduce((sum, { length }) => sum + length, 0);
    return givenBytes > LARGE_BYTES || this.keyspace.bytesOf(args) > LARGE_BYTES;
  }

  private atRest(work: () => void | Steps<void>): MaybePromise<void> {
    return this.gate.run({ caller: '', run: work, isCostly: () => true });
  }

  private expireDue(): void {
    // Keys don't change while a command is running.
    if (this.gate.isHeld || this.stateText !== undefined) return;
    if (!this.keyspace.expireDue(EXPIRE_BUDGET_MS)) setImmediate(() => this.expireDue());
    this.runner.recordExpired();
  }

  private assertOpen(): void {
    if (this.stateText !== undefined) throw memoryErrors.unavailable({ reason: this.stateText });
  }
}

/** A command that failed after changing something fails again in the same way. */
function replay(runner: CommandRunner, [word = '', ...args]: LoggedCommand): void {
  try {
    runToEnd(runner.run(commandOf(word), args));
  } catch (error) {
    if (!(error instanceof MillraceError)) throw error;
  }
}

function toArgs([, ...args]: MemoryCommand): string[] {
  return args.map((arg) => (typeof arg === 'string' ? toByteText(arg) : Buffer.from(arg).toString('latin1')));
}
