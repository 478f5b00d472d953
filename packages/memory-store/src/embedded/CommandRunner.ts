import { memoryErrors } from '@millrace/kernel';
import type { Command } from '../commands/Command.js';
import type { Entry } from '../keyspace/Entry.js';
import { failure } from '../keyspace/failure.js';
import type { Keyspace } from '../keyspace/Keyspace.js';
import type { CommandLog } from '../log/CommandLog.js';
import type { LoggedCommand } from '../log/encodeCommands.js';
import { toRecordInSteps } from '../log/LogRecords.js';
import type { Reply } from '../keyspace/Reply.js';
import { isSteps, type Steps } from '../steps/Steps.js';

/** The memory limit of the keys. */
export interface MemoryBound {
  /** In bytes; 0: none. */
  readonly maxMemory: number;
  readonly evictionPolicy: 'noeviction' | 'allkeys-lru';
}

/** Effects with up to this many words are encoded in one step. */
const WORDS_AT_ONCE = 2_048;

/** Runs commands on the keyspace, one at a time, and appends their effects to the log. */
export class CommandRunner {
  /** The effects of a transaction's commands, which form one record. */
  private gathered: LoggedCommand[] | undefined;
  /** Resolves when the last record is as durable as the sync policy requires. */
  private logged: Promise<void> | undefined;
  commandCount = 0;

  constructor(
    private readonly keyspace: Keyspace,
    private readonly log: CommandLog | undefined,
    private readonly bound: MemoryBound,
  ) {}

  /** @throws memory.command_error, memory.unavailable */
  run({ word, run, changes, grows }: Command, args: readonly string[]): Reply | Steps<Reply> {
    if (run === undefined) throw failure(`ERR unknown command '${word}'`);
    this.commandCount++;
    const { keyspace } = this;
    if (changes) this.assertWritable(grows);
    const start = () => {
      keyspace.changeCount = 0;
      keyspace.effects = undefined;
      return run(keyspace, args);
    };
    // A log rewrite must save large keys in their current state before the command may change them.
    const unsaved = keyspace.unsaved(args, changes);
    if (unsaved.length > 0) return this.runInSteps(this.startAfterSaving(unsaved, start), word, args);
    let outcome: Reply | Steps<Reply>;
    try {
      outcome = start();
    } catch (error) {
      this.record(word, args);
      throw error;
    }
    if (isSteps(outcome)) return this.runInSteps(outcome, word, args);
    this.record(word, args);
    return outcome;
  }

  /** Runs commands as one record of the log: each returns its reply or its error. */
  *gather<T>(works: readonly (() => T | Steps<T>)[]): Steps<readonly T[]> {
    this.gathered = [];
    const results: T[] = [];
    try {
      for (const work of works) {
        const outcome = work();
        results.push(isSteps(outcome) ? yield* outcome : outcome);
        yield;
      }
    } finally {
      const { gathered } = this;
      this.gathered = undefined;
      yield* this.appendInSteps(gathered);
    }
    return results;
  }

  /** Logs keys that were removed without a command. */
  recordExpired(): void {
    this.keyspace.changeCount = 0;
    this.record('', []);
  }

  /** What the answer to the last command must wait for; may be read once. */
  takeLogged(): Promise<void> | undefined {
    const { logged } = this;
    this.logged = undefined;
    return logged;
  }

  private *startAfterSaving(entries: readonly Entry[], start: () => Reply | Steps<Reply>): Steps<Reply> {
    for (const entry of entries) yield* this.keyspace.save(entry);
    const outcome = start();
    return isSteps(outcome) ? yield* outcome : outcome;
  }

  private *runInSteps(steps: Steps<Reply>, word: string, args: readonly string[]): Steps<Reply> {
    try {
      return yield* steps;
    } finally {
      yield* this.appendInSteps(this.effectsOf(word, args));
    }
  }

  private record(word: string, args: readonly string[]): void {
    this.append(this.effectsOf(word, args));
  }

  /** The effects to log; none while the commands of a transaction are collected. */
  private effectsOf(word: string, args: readonly string[]): readonly LoggedCommand[] {
    const { keyspace } = this;
    const { expiredKeys, changeCount, effects } = keyspace;
    if (expiredKeys.length === 0 && changeCount === 0) return [];
    const commands: LoggedCommand[] = [];
    if (expiredKeys.length > 0) {
      commands.push(['DEL', ...expiredKeys]);
      expiredKeys.length = 0;
    }
    if (changeCount > 0) commands.push(...(effects ?? [[word, ...args]]));
    if (this.gathered === undefined) return commands;
    for (const each of commands) this.gathered.push(each);
    return [];
  }

  private *appendInSteps(commands: readonly LoggedCommand[]): Steps<void> {
    const wordCount = commands.reduce((sum, { length }) => sum + length, 0);
    if (this.log === undefined || wordCount <= WORDS_AT_ONCE) this.append(commands);
    else this.logged = this.log.appendRecord(yield* toRecordInSteps(commands)) ?? this.logged;
  }

  private append(commands: readonly LoggedCommand[]): void {
    if (commands.length > 0) this.logged = this.log?.append(commands) ?? this.logged;
  }

  private assertWritable(mayGrow: boolean): void {
    const reason = this.log?.failure;
    if (reason !== undefined) throw memoryErrors.unavailable({ reason });
    const { maxMemory, evictionPolicy } = this.bound;
    if (maxMemory === 0 || !mayGrow) return;
    const { keyspace } = this;
    while (keyspace.usedBytes > maxMemory) {
      const evicted = evictionPolicy === 'noeviction' ? undefined : keyspace.evictOne();
      if (evicted === undefined) {
        throw memoryErrors.unavailable({
          reason: `its keys take more than the ${maxMemory} bytes of memoryStore.maxMemory`,
        });
      }
      if (this.gathered === undefined) this.append([['DEL', evicted]]);
      else this.gathered.push(['DEL', evicted]);
    }
  }
}
