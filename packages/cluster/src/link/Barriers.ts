import type { SyncOutcome } from '@millrace/kernel';
import type { Peers } from './Peers.js';

interface Barrier {
  readonly number: number;
  readonly missing: Set<string>;
  readonly complete: () => void;
}

/** Waits until other nodes have acknowledged the messages of this node. */
export class Barriers {
  private readonly open = new Set<Barrier>();
  private newest: { readonly number: number; readonly outcome: Promise<SyncOutcome> } | undefined;

  constructor(private readonly peers: Peers) {}

  /** The barrier with this number, if it is the newest. */
  at(number: number): Promise<SyncOutcome> | undefined {
    return this.newest?.number === number ? this.newest.outcome : undefined;
  }

  /** @param number of the message that requests it @param limitMs how long to wait for silent nodes */
  add(number: number, limitMs: number): Promise<SyncOutcome> {
    const missing = new Set([...this.peers.alive()].map(({ id }) => id));
    const whenComplete = new Promise<void>((resolve) => {
      const barrier = { number, missing, complete: resolve };
      this.open.add(barrier);
      this.check(barrier);
    });
    const outcome = new Promise<SyncOutcome>((resolve) => {
      const timer = setTimeout(() => resolve({ isComplete: false, whenComplete }), limitMs);
      timer.unref();
      void whenComplete.then(() => {
        clearTimeout(timer);
        resolve({ isComplete: true, whenComplete });
      });
    });
    this.newest = { number, outcome };
    return outcome;
  }

  /** Records that a node has received the messages up to a number. */
  acknowledged(id: string, number: number): void {
    for (const barrier of this.open) {
      if (barrier.number <= number && barrier.missing.delete(id)) this.check(barrier);
    }
  }

  /** Removes a node that is gone: barriers no longer wait for it. */
  forget(id: string): void {
    for (const barrier of this.open) if (barrier.missing.delete(id)) this.check(barrier);
  }

  /** Resolves all barriers when the link closes. */
  close(): void {
    for (const { complete } of this.open) complete();
    this.open.clear();
  }

  private check(barrier: Barrier): void {
    if (barrier.missing.size > 0) return;
    this.open.delete(barrier);
    barrier.complete();
  }
}
