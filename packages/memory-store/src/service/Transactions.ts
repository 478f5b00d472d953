import {
  ByteBudget,
  isThenable,
  memoryErrors,
  type MillraceError,
  type Connection,
  type JsonValue,
  type MemoryCommand,
  type MemoryStoreEngine,
} from '@millrace/kernel';
import type { Answers } from './Answers.js';
import type { MemoryStoreConfig } from '../config.js';
import type { BlockingSlots } from './BlockingSlots.js';
import { Transaction, type QueuedAction } from './Transaction.js';

/** Protocols whose connections don't outlive a request. */
const SHORT_LIVED: readonly string[] = ['http', 'program'];

/** All open transactions together may take as much as this many that are full. */
const FULL_TRANSACTIONS = 8;
/** What a queued action, an argument and a watched key take in memory in addition to their characters. */
const ACTION_BYTES = 256;
const ARGUMENT_BYTES = 32;
const KEY_BYTES = 256;

/** Transactions by connection (MEM-50): the service holds the queue, the engine the watches. */
export class Transactions {
  private readonly byConnection = new Map<string, Transaction>();
  private readonly bytes: ByteBudget;

  constructor(
    private readonly engine: MemoryStoreEngine,
    private readonly slots: BlockingSlots,
    private readonly config: Pick<MemoryStoreConfig, 'transactionTimeoutMs' | 'maxQueuedActions' | 'maxQueuedBytes'>,
    private readonly answers: Answers,
  ) {
    this.bytes = new ByteBudget(config.maxQueuedBytes * FULL_TRANSACTIONS);
  }

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

  multi(connection: Connection): JsonValue {
    const open = this.openFor(connection);
    if (open.isQueueing) throw refusal('ERR MULTI calls can not be nested');
    open.isQueueing = true;
    return 'OK';
  }

  /** @throws memory.command_error, memory.unavailable beyond a limit (MEM-53); the caller aborts the transaction */
  enqueue(open: Transaction, action: QueuedAction): JsonValue {
    const { maxQueuedActions } = this.config;
    if (open.queue.length >= maxQueuedActions)
      throw refusal(`ERR a transaction takes at most ${maxQueuedActions} commands`);
    if (action.definition.name === 'save') throw refusal('ERR Command not allowed inside a transaction');
    this.take(open, bytesOf(action.command));
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

  async watch(connection: Connection, keys: readonly string[]): Promise<JsonValue> {
    const open = this.openFor(connection);
    if (open.isQueueing) throw refusal('ERR WATCH inside MULTI is not allowed');
    const bytes = keys.reduce((sum, key) => sum + KEY_BYTES + Buffer.byteLength(key), 0);
    this.take(open, bytes);
    open.watchedBytes += bytes;
    try {
      await open.hold();
      await open.then((held) => held.watch(keys));
    } catch (error) {
      this.drop(connection.id);
      throw error;
    }
    return 'OK';
  }

  async unwatch({ id }: Connection): Promise<JsonValue> {
    const open = this.byConnection.get(id);
    if (open === undefined) return 'OK';
    const { watchedBytes } = open;
    open.watchedBytes = 0;
    await open.then((held) => held.unwatch());
    open.account.give(watchedBytes);
    if (!open.isQueueing) this.drop(id);
    return 'OK';
  }

  async exec({ id }: Connection): Promise<JsonValue> {
    const open = this.byConnection.get(id);
    if (open?.isQueueing !== true) throw refusal('ERR EXEC without MULTI');
    this.byConnection.delete(id);
    try {
      if (open.isAborted) throw refusal('EXECABORT Transaction discarded because of previous errors.');
      const held = await open.hold();
      const outcome = held.exec(open.queue.map(({ command }) => command));
      const replies = isThenable(outcome) ? await outcome : outcome;
      if (replies === null) return null;
      return await this.answers.toResults(
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

  private openFor({ id, remoteAddress }: Connection): Transaction {
    const known = this.byConnection.get(id);
    if (known !== undefined) return known;
    const open = new Transaction(this.bytes.open(remoteAddress), this.engine, this.slots);
    this.byConnection.set(id, open);
    open.expireAfter(this.config.transactionTimeoutMs, () => this.drop(id));
    return open;
  }

  /** @throws memory.command_error, memory.unavailable */
  private take({ account }: Transaction, bytes: number): void {
    const { maxQueuedBytes } = this.config;
    if (account.heldBytes + bytes > maxQueuedBytes)
      throw refusal(`ERR a transaction takes at most ${maxQueuedBytes} bytes`);
    if (!account.take(bytes)) throw memoryErrors.unavailable({ reason: 'the open transactions take too much memory' });
  }
}

function bytesOf(command: MemoryCommand): number {
  return command.reduce((sum, each) => sum + ARGUMENT_BYTES + Buffer.byteLength(each), ACTION_BYTES);
}

function refusal(message: string): MillraceError {
  return memoryErrors.command_error({ message });
}
