import type { ByteAccount, MaybePromise, MemoryCommand, MemoryStoreEngine, MemoryTransaction } from '@millrace/kernel';
import type { Command } from '../commands/Command.js';
import type { BlockingSlots, ReleaseSlot } from './BlockingSlots.js';

/** An action deferred until `exec`. */
export interface QueuedAction {
  readonly definition: Command;
  readonly command: MemoryCommand;
}

/** The open transaction of one connection: a queue after `multi`, watches after `watch`, or both. */
export class Transaction {
  readonly queue: QueuedAction[] = [];
  /** Of `account`: the bytes of watched keys. */
  watchedBytes = 0;
  isQueueing = false;
  /** True once a queued action was refused: `exec` then discards the queue. */
  isAborted = false;
  private held: Promise<MemoryTransaction> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private slot: ReleaseSlot | undefined;
  private isClosed = false;

  /** @param account the bytes of the queue and of watched keys */
  constructor(
    readonly account: ByteAccount,
    private readonly engine: MemoryStoreEngine,
    private readonly slots: BlockingSlots,
  ) {}

  /** Calls back unless closed before. */
  expireAfter(timeoutMs: number, expire: () => void): void {
    this.timer = setTimeout(expire, timeoutMs).unref();
  }

  /** The engine's transaction, opened first if necessary; later uses wait for earlier ones. */
  hold(): Promise<MemoryTransaction> {
    this.slot ??= this.slots.take();
    this.held ??= Promise.resolve(this.engine.openTransaction());
    return this.held;
  }

  /** Queues a use of the engine's transaction after the earlier ones. */
  then(use: (held: MemoryTransaction) => MaybePromise<void>): Promise<void> {
    const { held } = this;
    if (held === undefined) return Promise.resolve();
    const done = held.then(async (transaction) => {
      await use(transaction);
      return transaction;
    });
    this.held = done;
    return done.then(() => undefined);
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    clearTimeout(this.timer);
    this.account.close();
    const { held, slot } = this;
    const end = () => slot?.();
    // The engine refused to open its half.
    if (held === undefined) return end();
    held.then((transaction) => {
      transaction.close();
      end();
    }, end);
  }
}
