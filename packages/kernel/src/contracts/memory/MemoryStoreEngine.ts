import type { InjectionToken } from 'tsyringe';
import type { MillraceError } from '../../errors/MillraceError.js';
import type { Lifecycle } from '../runtime/Lifecycle.js';
import type { EngineHealth } from '../runtime/EngineHealth.js';
import type { MaybePromise } from '../../concurrency/MaybePromise.js';
import type { EngineDescription } from '../storage/StorageEngine.js';

/** One argument of a command: a string, sent as UTF-8, or bytes. */
export type MemoryArgument = string | Uint8Array;

/** A command in Redis's form: its name in capitals, then its arguments (`['SET', 'key', 'value', 'NX']`). */
export type MemoryCommand = readonly [name: string, ...args: MemoryArgument[]];

/**
 * A RESP2 reply as JSON (MEM-20, MEM-21): integers are numbers, or decimal strings beyond ±(2^53−1); strings are
 * decoded as UTF-8 with U+FFFD for invalid bytes; nil is null. Only the reply of `DUMP` is bytes.
 */
export type MemoryReply = string | number | null | Uint8Array | readonly MemoryReply[];

/**
 * A transaction of one client (MEM-51). It holds its watches until `exec` or `close`; the service holds the queued
 * commands, so an open transaction never blocks other clients.
 */
export interface MemoryTransaction {
  watch(keys: readonly string[]): MaybePromise<void>;
  unwatch(): MaybePromise<void>;
  /**
   * Runs the commands atomically; blocking ones answer at once. Removes the watches.
   * @returns one entry per command, a registered error for each failed one; null if a watched key has changed
   */
  exec(commands: readonly MemoryCommand[]): MaybePromise<readonly (MemoryReply | MillraceError)[] | null>;
  /** Releases everything; may be called twice. */
  close(): void;
}

/**
 * Stores the keys of the memory store and runs Redis commands on them, with exactly the replies of Redis 7.0. The
 * service above it handles names, routes, argument checks, limits, transaction queues and the form of results, so that
 * all engines behave alike.
 *
 * Commands of one caller run in the order of the calls. Every method throws or rejects with `memory.command_error`
 * (400) and Redis's own message if the command is at fault, and with `memory.unavailable` (503) if the store can't be
 * reached or can't accept writes.
 */
export interface MemoryStoreEngine extends Lifecycle {
  /** Whether several servers can use the same keys at once, which a cluster requires. Absent: false. */
  readonly isShared?: boolean;
  describe(): MaybePromise<EngineDescription>;
  /** Resolves when the store answers and accepts writes. @throws memory.unavailable with the reason */
  ping(): MaybePromise<void>;
  /**
   * The state of the engine for health checks, without waiting. An engine without this method is judged by `ping` and,
   * if that rejects, by a command that reads. Never rejects.
   */
  health?(): MaybePromise<EngineHealth>;
  /**
   * Runs one command. A hot path: returns a value, not a promise, whenever it is available.
   * @param caller identifies the caller, such as the id of a connection: an engine that runs one command at a time
   *   serves callers in turn, and the commands of each in order
   * @throws memory.command_too_large, memory.answer_too_large (400) beyond its limits
   */
  run(command: MemoryCommand, caller?: string): MaybePromise<MemoryReply>;
  /**
   * Runs a command that waits for keys (`BLPOP`, `XREAD` with `BLOCK`, `WAIT`); its timeout is one of its arguments.
   * @param signal ends the wait; the call then rejects with `memory.unavailable`
   */
  block(command: MemoryCommand, signal: AbortSignal): MaybePromise<MemoryReply>;
  /** Opens a transaction, which the caller must close. */
  openTransaction(): MaybePromise<MemoryTransaction>;
}

/** The engine that the configuration selects (`memoryStore.engine`). */
export const MEMORY_STORE_ENGINE: InjectionToken<MemoryStoreEngine> = Symbol.for('millrace.MemoryStoreEngine');
