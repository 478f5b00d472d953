import type { InjectionToken } from 'tsyringe';
import type { MillraceError } from '../../errors/MillraceError.js';
import type { Lifecycle } from '../../lifecycle/Lifecycle.js';
import type { EngineHealth } from '../runtime/EngineHealth.js';
import type { EngineDescription, MaybePromise } from '../storage/StorageEngine.js';

/** One word of a command: text, sent as UTF-8, or bytes. */
export type MemoryArgument = string | Uint8Array;

/** A command as Redis takes it: its name in capitals, then its arguments (`['SET', 'key', 'value', 'NX']`). */
export type MemoryCommand = readonly [name: string, ...args: MemoryArgument[]];

/**
 * A RESP2 reply as JSON (MEM-20, MEM-21): integers are numbers, or decimal text beyond ±(2^53−1); texts are decoded
 * as UTF-8 with U+FFFD for invalid bytes; nil is null. The one reply with bytes is that of `DUMP`.
 */
export type MemoryReply = string | number | null | Uint8Array | readonly MemoryReply[];

/**
 * A transaction of one client (MEM-51). It holds its watches until `exec` or `close`; what is queued is
 * held by the service, so that no open transaction keeps others waiting.
 */
export interface MemoryTransaction {
  watch(keys: readonly string[]): MaybePromise<void>;
  unwatch(): MaybePromise<void>;
  /**
   * Runs the commands as one, with nothing in between; blocking ones answer at once. Ends the watches.
   * @returns one entry per command, a registered error for one that failed; null where a watched key has changed
   */
  exec(
    commands: readonly MemoryCommand[],
  ): MaybePromise<readonly (MemoryReply | MillraceError)[] | null>;
  /** Gives everything back; may be called twice. */
  close(): void;
}

/**
 * Keeps the keys of the memory store and runs Redis commands on them, exactly as Redis 7.0 answers. The service above
 * it owns names, routes, argument checks, limits, transactions' queues and the shape of results, so that engines
 * behave alike.
 *
 * Commands of one caller run in the order of the calls. Every method throws or rejects with `memory.command_error` (400)
 * with Redis's own text where the command is at fault, and with `memory.unavailable` (503) where the store can't be
 * reached or can't take writes.
 */
export interface MemoryStoreEngine extends Lifecycle {
  /** Whether several servers can use the same keys at once: nodes of a cluster need that. Absent: false. */
  readonly isShared?: boolean;
  describe(): MaybePromise<EngineDescription>;
  /** Resolves when the store answers and takes writes. @throws memory.unavailable with the reason */
  ping(): MaybePromise<void>;
  /**
   * The state of the engine, for health: answered at once. An engine without it is judged by `ping`, and where that
   * rejects, by a command that reads. Never rejects.
   */
  health?(): MaybePromise<EngineHealth>;
  /**
   * Runs one command. A hot path: answers with a value, not a promise, whenever it is at hand.
   * @param caller who calls, such as the id of a connection: an engine that runs one command at a time takes callers in
   * turn, and the commands of each in their order
   * @throws memory.command_too_large, memory.answer_too_large (400) past its bounds
   */
  run(command: MemoryCommand, caller?: string): MaybePromise<MemoryReply>;
  /**
   * Runs a command that waits for keys (`BLPOP`, `XREAD` with `BLOCK`, `WAIT`); its timeout stands in it.
   * @param signal ends the wait; the call then rejects with `memory.unavailable`
   */
  block(command: MemoryCommand, signal: AbortSignal): MaybePromise<MemoryReply>;
  /** Opens a transaction, to be closed by the caller. */
  openTransaction(): MaybePromise<MemoryTransaction>;
}

/** The engine that the composition chose by configuration (`memoryStore.engine`). */
export const MEMORY_STORE_ENGINE: InjectionToken<MemoryStoreEngine> = Symbol.for(
  'millrace.MemoryStoreEngine',
);
