import { toAddressKey } from '../protocols/toAddressKey.js';
import type { Request } from '../request/Request.js';
import { FairQueue, type TurnKeys } from './FairQueue.js';

/** How the wait for a place ended; `run` owes one `leave`. */
export type WaitOutcome = 'run' | 'full' | 'gone' | 'stopping';

type Waiter = (outcome: WaitOutcome) => void;

/**
 * Places for requests of one kind: at most `maxRunning` run at once, further ones wait for a fair turn (see FairQueue).
 * What a closed connection waits for is dropped.
 */
export class RequestQueue {
  private running = 0;
  private readonly waiting = new FairQueue<Waiter>();
  /** By connection that has requests waiting: stops watching its end. */
  private readonly watched = new Map<string, { count: number; unwatch: () => void }>();
  private isStopping = false;
  private drained: (() => void) | undefined;

  /** @param maxRunning Infinity: no request ever waits */
  constructor(
    private readonly maxRunning: number,
    private readonly maxWaiting: number,
  ) {}

  get runningCount(): number {
    return this.running;
  }

  get waitingCount(): number {
    return this.waiting.size;
  }

  /** Takes a free place. @returns false where none is free */
  enter(): boolean {
    if (this.running >= this.maxRunning) return false;
    this.running++;
    return true;
  }

  /** Waits for a place, in the turn of the request's address, user and connection. */
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
    // A place is handed over: `running` stays.
    const next = this.waiting.shift();
    if (next !== undefined) return next('run');
    this.running--;
    if (this.running === 0) this.drained?.();
  }

  /** For a server that stops: what waits is refused, and nothing waits any more. */
  refuseWaiting(): void {
    this.isStopping = true;
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) {
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
    // A user may change on a connection: the keys are watched as a whole.
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
