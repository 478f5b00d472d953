import type { ByteAccount, MaybePromise, MemoryCommand, MemoryTransaction } from '@millrace/kernel';
import type { Command } from '../commands/Command.js';
import type { ReleaseSlot } from './BlockingSlots.js';

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
  /** The engine's transaction, once a key is watched; later uses wait for earlier ones. */
  held: Promise<MemoryTransaction> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private slot: ReleaseSlot | undefined;
  private isClosed = false;

  /** @param account the bytes of the queue and of watched keys */
  constructor(readonly account: ByteAccount) {}

  /** Calls back unless closed before. */
  expireAfter(timeoutMs: number, expire: () => void): void {
    this.timer = setTimeout(expire, timeoutMs).unref();
  }

  /** Uses the engine's transaction, opening it first if necessary. */
  hold(takeSlot: () => ReleaseSlot, open: () => MaybePromise<MemoryTransaction>): Promise<MemoryTransaction> {
    if (this.held === undefined) {
      this.slot = takeSlot();
      this.held = Promise.resolve(open());
    }
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
    if (held === undefined) return;
    const end = () => slot?.();
    held.then((transaction) => {
      transaction.close();
      end();
    }, end);
  }
}
