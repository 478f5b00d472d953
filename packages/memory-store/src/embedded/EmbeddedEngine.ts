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
import { toByteText } from './byteText.js';
import { readBlocking, type Blocking } from './blockingKeys.js';
import { CommandGate } from './CommandGate.js';
import { CommandRunner, type MemoryBound } from './CommandRunner.js';
import { EmbeddedTransaction } from './EmbeddedTransaction.js';
import { Keyspace } from './Keyspace.js';
import { CommandLog } from './log/CommandLog.js';
import { MEMORY_STORE_FOLDER } from './log/copyMemoryStore.js';
import type { LoggedCommand } from './log/encodeCommands.js';
import type { SyncPolicy } from './log/LogWriter.js';
import type { Reply } from './Reply.js';
import { showInfo } from './showInfo.js';
import { isSteps, runToEnd, type Steps } from '../steps/Steps.js';
import { Slices } from '../steps/Slices.js';
import { toMaxMemory } from './toMaxMemory.js';
import { toMemoryReply } from './toMemoryReply.js';
import { typeOf } from './values/Value.js';
import { WaitingCalls } from './WaitingCalls.js';
import { WORD_BOUND } from './WORD_BOUND.js';
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
/** The work of these commands doesn't depend on the size of their keys. */
const UNBOUNDED: ReadonlySet<string> = new Set(['LCS', 'SRANDMEMBER', 'HRANDFIELD', 'ZRANDMEMBER']);
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
    const own = this.runOwn(command);
    if (own !== undefined) return own;
    const words = toWords(command);
    return this.answer(caller, words, () => this.runner.run(words));
  }

  async block(command: MemoryCommand, signal: AbortSignal): Promise<MemoryReply> {
    this.assertOpen();
    const words = toWords(command);
    let blocking: Blocking | undefined;
    const first = await this.answer('', words, () => {
      // Parsed before the command runs: `$` refers to the current last ids.
      blocking = readBlocking(this.keyspace, words);
      return this.runner.run(blocking?.command ?? words);
    });
    if (first !== null || blocking === undefined) return first;
    const found = blocking;
    const reply = await this.waiting.wait({
      keys: found.keys,
      timeoutMs: found.timeoutMs,
      signal,
      attempt: (key) => this.attempt(found, key),
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
        waitingCount: this.waiting.count,
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
      const own = this.runOwn(command);
      if (own !== undefined && !(own instanceof Promise)) return own;
      const outcome = this.runner.run(toWords(command));
      return isSteps(outcome) ? yield* outcome : outcome;
    } catch (error) {
      if (error instanceof MillraceError) return error;
      throw error;
    }
  }

  /** Runs a command in its turn; the answer waits if the log requires it. */
  private answer(
    caller: string,
    words: readonly string[],
    work: () => Reply | Steps<Reply>,
  ): MaybePromise<MemoryReply> {
    const outcome = this.gate.run({
      caller,
      run: () => this.step(work),
      isCostly: () => this.mayTakeLong(words),
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
  private mayTakeLong([name = '', ...args]: readonly string[]): boolean {
    if (name === 'KEYS') return this.keyspace.size > MANY_WORDS;
    if (args.length > MANY_WORDS || UNBOUNDED.has(name)) return true;
    if (this.keyspace.unsaved(args, true).length > 0) return true;
    const isPop = args.length === 1 && /^[LRSZ]POP/.test(name);
    if (isPop || WORD_BOUND.has(name)) return false;
    const givenBytes = args.reduce((sum, { length }) => sum + length, 0);
    return givenBytes > LARGE_BYTES || this.keyspace.bytesOf(args) > LARGE_BYTES;
  }

  private atRest(work: () => void | Steps<void>): MaybePromise<void> {
    return this.gate.run({ caller: '', run: work, isCostly: () => true });
  }

  /** Runs the command of a waiting call; a key of another type counts as absent. */
  private attempt({ type, commandFor }: Blocking, key: string): Reply {
    const entry = this.keyspace.find(key);
    if (entry === undefined || typeOf(entry.value) !== type) return null;
    // It reads only entries that have just been added, so it needs no slices.
    return runToEnd(this.runner.run(commandFor(key)));
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
function replay(runner: CommandRunner, command: LoggedCommand): void {
  try {
    runToEnd(runner.run(command));
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
