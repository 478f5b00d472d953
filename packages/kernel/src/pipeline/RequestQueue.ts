import { toAddressKey } from '../concurrency/toAddressKey.js';
import type { Request } from '../contracts/request/Request.js';
import { FairQueue, type TurnKeys } from '../concurrency/FairQueue.js';

/** How the wait for a slot ended; after `run` the caller must call `leave`. */
export type WaitOutcome = 'run' | 'full' | 'gone' | 'stopping';

type Waiter = (outcome: WaitOutcome) => void;

/**
 * Slots for requests of one kind: at most `maxRunning` run at once, more wait in fair order (see FairQueue). Waiting
 * requests of a closed connection are dropped.
 */
export class RequestQueue {
  private running = 0;
  private readonly waiting = new FairQueue<Waiter>();
  /** For each connection with waiting requests: removes the listener for its closing. */
  private readonly watched = new Map<string, { count: number; unwatch: () => void }>();
  private isStopping = false;
  private drained: (() => void) | undefined;

  /** @param maxRunning the present limit; Infinity: no request ever waits */
  constructor(
    private readonly maxRunning: () => number,
    private readonly maxWaiting: number,
  ) {}

  get runningCount(): number {
    return this.running;
  }

  get waitingCount(): number {
    return this.waiting.size;
  }

  /** Takes a free slot. @returns false if none is free */
  enter(): boolean {
    if (this.running >= this.maxRunning()) return false;
    this.running++;
    return true;
  }

  /** Waits for a slot, in the fair order of the request's address, user and connection. */
  wait(request: Request): Promise<WaitOutcome> {
    if (request.connection.lifetime?.isClosed === true) return Promise.resolve('gone');
    if (this.enter()) return Promise.resolve('run');
    if (this.isStopping) return Promise.resolve('stopping');
    if (this.waiting.size >= this.maxWaiting) return Promise.resolve('full');
    const { user, connection } = request;
    const keys: TurnKeys = [toAddressKey(connection.remoteAddress), user._id, connection.id];
    return new Promise((resolve) => {
      this.watch(keys, request);
      this.waiting.push(keys, (outcome) => {
        this.unwatch(keys);
        resolve(outcome);
      });
    });
  }

  leave(): void {
    this.running--;
    this.admitWaiting();
    if (this.running === 0) this.drained?.();
  }

  /** Gives free slots to waiting requests. The limit may have changed: none may follow, or more than one. */
  admitWaiting(): void {
    while (this.waiting.size > 0 && this.enter()) this.waiting.take()?.('run');
  }

  /** For a stopping server: waiting requests are refused, and later ones no longer wait. */
  refuseWaiting(): void {
    this.isStopping = true;
    for (let next = this.waiting.take(); next !== undefined; next = this.waiting.take()) {
      next('stopping');
    }
  }

  /** Resolves once nothing runs or waits. */
  async whenIdle(): Promise<void> {
    if (this.running === 0) return;
    await new Promise<void>((resolve) => {
      this.drained = resolve;
    });
  }

  private watch(keys: TurnKeys, { connection: { lifetime } }: Request): void {
    if (lifetime === undefined) return;
    // The user of a connection may change, so connections are watched by all three keys.
    const key = keys.join('\n');
    const known = this.watched.get(key);
    if (known !== undefined) {
      known.count++;
      return;
    }
    const drop = () => {
      for (const waiter of this.waiting.removeConnection(keys)) waiter('gone');
    };
    this.watched.set(key, { count: 1, unwatch: lifetime.onClosed(drop) });
  }

  private unwatch(keys: TurnKeys): void {
    const key = keys.join('\n');
    const known = this.watched.get(key);
    if (known === undefined) return;
    known.count--;
    if (known.count > 0) return;
    this.watched.delete(key);
    known.unwatch();
  }
}
