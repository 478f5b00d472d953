import {
  isThenable,
  memoryErrors,
  type MillraceError,
  type Connection,
  type JsonValue,
  type MemoryStoreEngine,
} from '@millrace/kernel';
import type { Answers } from '../answers/Answers.js';
import type { MemoryStoreConfig } from '../config.js';
import type { BlockingSlots } from './BlockingSlots.js';
import { Transaction, type QueuedAction } from './Transaction.js';

/** The dependencies of transactions. */
export interface TransactionsParts {
  readonly config: Pick<MemoryStoreConfig, 'transactionTimeoutMs' | 'maxQueuedActions'>;
  readonly answers: Answers;
}

/** Protocols whose connections don't outlive a request. */
const SHORT_LIVED: readonly string[] = ['http', 'program'];

/** Transactions by connection (MEM-50): the service holds the queue, the engine the watches. */
export class Transactions {
  private readonly byConnection = new Map<string, Transaction>();

  constructor(
    private readonly engine: MemoryStoreEngine,
    private readonly slots: BlockingSlots,
    private readonly parts: TransactionsParts,
  ) {}

  /** @throws memory.protocol_not_supported */
  assertLasting({ protocol }: Connection, action: string): void {
    if (SHORT_LIVED.includes(protocol)) throw memoryErrors.protocol_not_supported({ action });
  }

  /** The transaction that queues the actions of this connection; undefined if they run at once. */
  queueing(connection: Connection): Transaction | undefined {
    if (this.byConnection.size === 0) return undefined;
    const open = this.byConnection.get(connection.id);
    return open?.isQueueing === true ? open : undefined;
  }

  multi({ id }: Connection): JsonValue {
    const open = this.openFor(id);
    if (open.isQueueing) throw refusal('ERR MULTI calls can not be nested');
    open.isQueueing = true;
    return 'OK';
  }

  /** @throws memory.command_error beyond the limit; the caller aborts the transaction */
  enqueue(open: Transaction, action: QueuedAction): JsonValue {
    const { maxQueuedActions } = this.parts.config;
    if (open.queue.length >= maxQueuedActions)
      throw refusal(`ERR a transaction takes at most ${maxQueuedActions} commands`);
    if (action.definition.name === 'save')
      throw refusal('ERR Command not allowed inside a transaction');
    open.queue.push(action);
    return 'QUEUED';
  }

  /** A request of the connection was refused: the queued actions will be discarded. */
  abort(connectionId: string): void {
    const open = this.byConnection.get(connectionId);
    if (open?.isQueueing === true) open.isAborted = true;
  }

  discard({ id }: Connection): JsonValue {
    const open = this.byConnection.get(id);
    if (open?.isQueueing !== true) throw refusal('ERR DISCARD without MULTI');
    this.drop(id);
    return 'OK';
  }

  async watch({ id }: Connection, keys: readonly string[]): Promise<JsonValue> {
    const open = this.openFor(id);
    if (open.isQueueing) throw refusal('ERR WATCH inside MULTI is not allowed');
    try {
      await open.hold(
        () => this.slots.take(),
        () => this.engine.openTransaction(),
      );
      await open.then((held) => held.watch(keys));
    } catch (error) {
      this.drop(id);
      throw error;
    }
    return 'OK';
  }

  async unwatch({ id }: Connection): Promise<JsonValue> {
    const open = this.byConnection.get(id);
    if (open === undefined) return 'OK';
    await open.then((held) => held.unwatch());
    if (!open.isQueueing) this.drop(id);
    return 'OK';
  }

  async exec({ id }: Connection): Promise<JsonValue> {
    const open = this.byConnection.get(id);
    if (open?.isQueueing !== true) throw refusal('ERR EXEC without MULTI');
    this.byConnection.delete(id);
    try {
      if (open.isAborted)
        throw refusal('EXECABORT Transaction discarded because of previous errors.');
      const held = await open.hold(
        () => this.slots.take(),
        () => this.engine.openTransaction(),
      );
      const outcome = held.exec(open.queue.map(({ command }) => command));
      const replies = isThenable(outcome) ? await outcome : outcome;
      if (replies === null) return null;
      return await this.parts.answers.toResults(
        replies.map((reply, at) => ({ definition: open.queue[at]?.definition, reply })),
      );
    } finally {
      open.close();
    }
  }

  /** Drops the open transaction of the connection. */
  drop(connectionId: string): void {
    this.byConnection.get(connectionId)?.close();
    this.byConnection.delete(connectionId);
  }

  dropAll(): void {
    for (const id of [...this.byConnection.keys()]) this.drop(id);
  }

  private openFor(connectionId: string): Transaction {
    const known = this.byConnection.get(connectionId);
    if (known !== undefined) return known;
    const open = new Transaction({ slot: undefined });
    this.byConnection.set(connectionId, open);
    open.expireAfter(this.parts.config.transactionTimeoutMs, () => this.drop(connectionId));
    return open;
  }
}

function refusal(message: string): MillraceError {
  return memoryErrors.command_error({ message });
}
