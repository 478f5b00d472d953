import {
  CLOCK,
  FairQueue,
  nextSlice,
  toAddressKey,
  type Clock,
  type Connection,
  type ReplayPace,
  type Session,
  type TurnKeys,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';

/** All this work together holds the event loop for this long at most, but for a single step. */
const SLICE_MS = 5;
/** How long a slice may wait while connections arrive. */
const MAX_DELAY_MS = 20;
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
      nextSlice(() => void this.serve(), MAX_DELAY_MS);
    });
  }

  /** The turns of one client, for work that does not know it. */
  of(keys: TurnKeys): ReplayPace {
    return { isDue: () => this.isOver, rest: () => this.turn(keys) };
  }

  private async serve(): Promise<void> {
    this.endMs = this.clock.monotonicMs() + SLICE_MS;
    const { waiting } = this;
    for (let next = waiting.take(); next !== undefined; next = waiting.take()) {
      next();
      // The work goes on after this, and may use up the slice.
      await afterMicrotasks();
      if (this.isOver) break;
    }
    this.isServing = this.waiting.size > 0;
    if (this.isServing) nextSlice(() => void this.serve(), MAX_DELAY_MS);
  }
}

/** Resolves once no microtask is left: what waits may take several to begin its work. */
async function afterMicrotasks(): Promise<void> {
  await Promise.resolve();
  // A tick that a microtask adds runs after all microtasks.
  await new Promise<void>((resolve) => process.nextTick(resolve));
}

/** Whose turn the work of a poll or a resume is. */
export function turnKeysOf({ id, remoteAddress, user }: Connection, session: Session | null): TurnKeys {
  return [toAddressKey(remoteAddress), session?.userId ?? user?._id ?? '', id];
}
