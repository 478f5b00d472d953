import { CLOCK, type Clock } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';

/** All replays together hold the event loop for this long at most. */
const SLICE_MS = 5;

/** Cuts the work of all replays of a server into common slices. */
@scoped(Scope.ContainerScoped)
export class Pacer {
  private endMs = 0;
  private next: Promise<void> | undefined;

  constructor(@inject(CLOCK) private readonly clock: Clock) {}

  /** Whether the slice has ended: wait for `turn`. */
  get isOver(): boolean {
    return this.clock.monotonicMs() >= this.endMs;
  }

  /** Resolves in the next turn of the event loop. */
  turn(): Promise<void> {
    this.next ??= new Promise((resolve) => {
      setImmediate(() => {
        this.next = undefined;
        this.endMs = this.clock.monotonicMs() + SLICE_MS;
        resolve();
      });
    });
    return this.next;
  }
}
