import { CLOCK, FairQueue, type Clock, type TurnKeys } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';

/** All this work together holds the event loop for this long at most, but for a single step. */
const SLICE_MS = 5;
/** Of work for all clients together. */
const NO_CLIENT: TurnKeys = ['', '', ''];

/**
 * Cuts what polls, replays and new queries of subscriptions compute into common slices of a server. Clients take turns
 * (see `FairQueue`), so that the work of one, however much, delays that of another by a few slices.
 */
@scoped(Scope.ContainerScoped)
export class Pacer {
  private endMs = 0;
  private readonly waiting = new FairQueue<() => void>();
  private isServing = false;

  constructor(@inject(CLOCK) private readonly clock: Clock) {}

  /** Whether the slice has ended: wait for `turn`. */
  get isOver(): boolean {
    return this.clock.monotonicMs() >= this.endMs;
  }

  /** Resolves in a later turn of the event loop, when it is the client's turn. */
  turn(keys: TurnKeys = NO_CLIENT): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(keys, resolve);
      if (this.isServing) return;
      this.isServing = true;
      setImmediate(() => void this.serve());
    });
  }

  private async serve(): Promise<void> {
    this.endMs = this.clock.monotonicMs() + SLICE_MS;
    for (let next = this.waiting.take(); next !== undefined; next = this.waiting.take()) {
      next();
      // The work goes on after this, and may use up the slice.
      await Promise.resolve();
      if (this.isOver) break;
    }
    this.isServing = this.waiting.size > 0;
    if (this.isServing) setImmediate(() => void this.serve());
  }
}
