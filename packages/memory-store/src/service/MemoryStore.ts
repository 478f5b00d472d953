import {
  isThenable,
  type JsonValue,
  type Lifecycle,
  type MaybePromise,
  type MemoryArgument,
  type MemoryCommand,
  type MemoryStoreEngine,
} from '@millrace/kernel';
import { Answers } from './Answers.js';
import { appendAll, readKeys } from '../commands/argumentsAt.js';
import { ArgumentSource, type FieldsSent } from '../commands/ArgumentSource.js';
import type { Command } from '../commands/Command.js';
import type { MemoryStoreConfig } from '../config.js';
import { BlockedCalls } from './BlockedCalls.js';
import { BlockingSlots } from './BlockingSlots.js';
import type { Transaction } from './Transaction.js';
import { Transactions } from './Transactions.js';

const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * The memory store on top of an engine: parses arguments, queues the actions of a transaction, runs blocking actions in
 * limited slots, shapes results. Returns a value rather than a promise if the engine does.
 */
export class MemoryStore implements Lifecycle {
  readonly transactions: Transactions;
  private readonly blocked: BlockedCalls;
  private readonly answers = new Answers();

  constructor(
    private readonly engine: MemoryStoreEngine,
    private readonly config: MemoryStoreConfig,
  ) {
    const slots = new BlockingSlots(config.maxBlockedCalls);
    this.blocked = new BlockedCalls(engine, slots);
    this.transactions = new Transactions(engine, slots, config, this.answers);
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {
    this.blocked.endAll();
    this.transactions.dropAll();
  }

  /**
   * Runs the action of a request.
   * @throws memory.invalid_argument, memory.command_error, memory.command_too_large, memory.answer_too_large (400),
   * memory.unavailable (503)
   */
  run(definition: Command, pathNames: ReadonlySet<string>, sent: FieldsSent): MaybePromise<JsonValue> {
    const { connection } = sent.request;
    const open = this.transactions.queueing(connection);
    if (open !== undefined) {
      // Repeated within another transaction, the action must be queued there too.
      sent.request.isAnswerKept = false;
      return this.enqueue(open, definition, { pathNames, sent });
    }
    const command = this.commandOf(definition, pathNames, sent);
    const reply =
      definition.blocks !== undefined && waits(command)
        ? this.blocked.run(connection.id, command)
        : this.engine.run(command, connection.id);
    return isThenable(reply)
      ? reply.then((late) => this.answers.toResult(definition, late))
      : this.answers.toResult(definition, reply);
  }

  /** The keys of `watch`. @throws memory.invalid_argument */
  keysOf(sent: FieldsSent): readonly string[] {
    return readKeys(this.sourceOf(sent, NO_NAMES), 'keys', 'top');
  }

  /** A connection has closed: ends its waits and drops its transaction. */
  forget(connectionId: string): void {
    this.blocked.end(connectionId);
    this.transactions.drop(connectionId);
  }

  private enqueue(
    open: Transaction,
    definition: Command,
    { pathNames, sent }: { readonly pathNames: ReadonlySet<string>; readonly sent: FieldsSent },
  ): JsonValue {
    try {
      const command = this.commandOf(definition, pathNames, sent);
      return this.transactions.enqueue(open, { definition, command });
    } catch (error) {
      open.isAborted = true;
      throw error;
    }
  }

  private commandOf(definition: Command, pathNames: ReadonlySet<string>, sent: FieldsSent): MemoryCommand {
    const args: MemoryArgument[] = [];
    appendAll(definition.parts, this.sourceOf(sent, pathNames), args);
    return [definition.word, ...args];
  }

  private sourceOf(sent: FieldsSent, pathNames: ReadonlySet<string>): ArgumentSource {
    return new ArgumentSource(sent, pathNames, this.config);
  }
}

/** `xread` blocks only if it has the option `BLOCK`. */
function waits([name, ...args]: MemoryCommand): boolean {
  return name !== 'XREAD' || args.slice(0, 4).some((word) => word === 'BLOCK');
}
