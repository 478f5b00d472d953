/*
 * Subscriptions on their way in. A large filter takes some milliseconds to read, more while the code is cold: it is read by
 * steps, one per turn of the event loop, so that requests and notifications are not held up. One at a time: so equal
 * filters meet in one room. Connections take turns, and each finds its own requests done in order: one that sends large
 * filters only delays the others by one of them. What is read in one step while nothing waits, as nearly all filters are,
 * is answered at once.
 */
import type { Steps } from '@millrace/filters';
import { authErrors, coreErrors, type Lifecycle, type MaybePromise, type Session } from '@millrace/kernel'; // prettier-ignore
import { injectable } from 'tsyringe';

/** Longer steps may come where the code is cold, or a single condition is large. */
export const STEP_MS = 1;

/** Who waits for a piece of work. */
export interface Waiting {
  readonly connection: { readonly id: string };
  /** A later token may take its place. */
  session: Session | null;
}

interface Piece {
  readonly waiting: Waiting;
  readonly steps: Steps<unknown>;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
  readonly onEnd: (() => void)[];
}

@injectable()
export class FilterIntake implements Lifecycle {
  /** By connection, the one whose turn it is first; none without pieces. */
  private readonly queues = new Map<string, Piece[]>();
  private running: Piece | undefined;
  private immediate: NodeJS.Immediate | undefined;

  async start(): Promise<void> {}

  /** Requests have been answered before; whatever is left is refused. */
  async stop(): Promise<void> {
    clearImmediate(this.immediate);
    const left = [...this.queues.values()].flat();
    this.queues.clear();
    for (const piece of left) giveUp(piece, coreErrors.stopping({}));
  }

  /** Takes the steps of some work; `waiting` is kept until the last one. @throws what they throw */
  run<T>(waiting: Waiting, steps: Steps<MaybePromise<T>>): MaybePromise<T> {
    if (this.queues.size === 0) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
    return new Promise<T>((resolve, reject) => {
      const piece: Piece = { waiting, steps, resolve, reject, onEnd: [] };
      const queue = this.queues.get(waiting.connection.id);
      if (queue === undefined) this.queues.set(waiting.connection.id, [piece]);
      else queue.push(piece);
      this.schedule();
    });
  }

  /** Does something after all that a connection has asked for: at once where nothing of it waits. */
  after<T>(waiting: Waiting, work: () => MaybePromise<T>): MaybePromise<T> {
    return this.queues.has(waiting.connection.id) ? this.run(waiting, inOneStep(work)) : work();
  }

  /** Gives another token to those who wait. @param isMeant whose */
  replaceSession(isMeant: (waiting: Waiting) => boolean, session: Session): void {
    for (const { waiting } of this.pieces()) if (isMeant(waiting)) waiting.session = session;
  }

  /** Refuses the work of those whose connection or token has ended. */
  drop(isMeant: (waiting: Waiting) => boolean): void {
    for (const piece of [...this.pieces()]) {
      // What runs has done all but tell others, one of which may have ended by that.
      if (piece === this.running || !isMeant(piece.waiting)) continue;
      this.remove(piece);
      giveUp(piece, authErrors.invalid_token({ reason: 'revoked' }));
      for (const call of piece.onEnd) call();
    }
  }

  /** Calls once all that waits now is done; never where nothing waits. */
  onTaken(call: () => void): void {
    let left = 0;
    for (const { onEnd } of this.pieces()) {
      left++;
      onEnd.push(() => {
        if (--left === 0) call();
      });
    }
  }

  private *pieces(): Iterable<Piece> {
    for (const queue of this.queues.values()) yield* queue;
  }

  private schedule(): void {
    this.immediate ??= setImmediate(() => {
      this.immediate = undefined;
      this.takeStep();
      if (this.queues.size > 0) this.schedule();
    });
  }

  private takeStep(): void {
    const [[piece] = []] = this.queues.values();
    if (piece === undefined) return;
    this.running = piece;
    try {
      const step = piece.steps.next();
      if (step.done !== true) return;
      piece.resolve(step.value as never);
    } catch (error) {
      piece.reject(error);
    } finally {
      this.running = undefined;
    }
    this.remove(piece);
    for (const call of piece.onEnd) call();
  }

  /** Its connection's turn is over where it was the first one. */
  private remove(piece: Piece): void {
    const { id } = piece.waiting.connection;
    const queue = this.queues.get(id) ?? [];
    const isFirst = queue[0] === piece;
    const left = queue.filter((each) => each !== piece);
    if (isFirst || left.length === 0) this.queues.delete(id);
    if (left.length > 0) this.queues.set(id, left);
  }
}

function giveUp({ steps, reject }: Piece, error: unknown): void {
  steps.return(undefined);
  reject(error);
}

function* inOneStep<T>(work: () => T): Steps<T> {
  return work();
}
