/*
 * Subscriptions on their way in. A large filter takes some milliseconds to read, more while the code is cold: it is read by
 * steps, one per turn of the event loop, so that requests and notifications are not held up. One at a time, in the order
 * in which they were asked for: so equal filters meet in one room, and a connection finds its own requests done in order.
 * What is read in one step while nothing waits, as nearly all filters are, is answered at once.
 */
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
  readonly steps: Generator<undefined, unknown, undefined>;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
  readonly onEnd: (() => void)[];
}

@injectable()
export class FilterIntake implements Lifecycle {
  private readonly pieces: Piece[] = [];
  private running: Piece | undefined;
  private immediate: NodeJS.Immediate | undefined;

  async start(): Promise<void> {}

  /** Requests have been answered before; whatever is left is refused. */
  async stop(): Promise<void> {
    clearImmediate(this.immediate);
    for (const piece of this.pieces.splice(0)) giveUp(piece, coreErrors.stopping({}));
  }

  /** Takes the steps of some work; `waiting` is kept until the last one. @throws what they throw */
  run<T>(
    waiting: Waiting,
    steps: Generator<undefined, MaybePromise<T>, undefined>,
  ): MaybePromise<T> {
    if (this.pieces.length === 0) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
    return new Promise<T>((resolve, reject) => {
      this.pieces.push({ waiting, steps, resolve, reject, onEnd: [] });
      this.schedule();
    });
  }

  /** Does something after all that a connection has asked for: at once where nothing of it waits. */
  after<T>(waiting: Waiting, work: () => MaybePromise<T>): MaybePromise<T> {
    const { id } = waiting.connection;
    return this.pieces.some((piece) => piece.waiting.connection.id === id)
      ? this.run(waiting, inOneStep(work))
      : work();
  }

  /** Gives another token to those who wait. @param isMeant whose */
  replaceSession(isMeant: (waiting: Waiting) => boolean, session: Session): void {
    for (const { waiting } of this.pieces) if (isMeant(waiting)) waiting.session = session;
  }

  /** Refuses the work of those whose connection or token has ended. */
  drop(isMeant: (waiting: Waiting) => boolean): void {
    // What runs has done all but tell others, one of which may have ended by that.
    const meant = this.pieces.filter((piece) => piece !== this.running && isMeant(piece.waiting));
    for (const piece of meant) {
      this.pieces.splice(this.pieces.indexOf(piece), 1);
      giveUp(piece, authErrors.invalid_token({ reason: 'revoked' }));
      for (const call of piece.onEnd) call();
    }
  }

  /** Calls once all that waits now is done; never where nothing waits. */
  onTaken(call: () => void): void {
    this.pieces.at(-1)?.onEnd.push(call);
  }

  private schedule(): void {
    this.immediate ??= setImmediate(() => {
      this.immediate = undefined;
      this.takeStep();
      if (this.pieces.length > 0) this.schedule();
    });
  }

  private takeStep(): void {
    const [piece] = this.pieces;
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
    this.pieces.shift();
    for (const call of piece.onEnd) call();
  }
}

function giveUp({ steps, reject }: Piece, error: unknown): void {
  steps.return(undefined);
  reject(error);
}

function* inOneStep<T>(work: () => T): Generator<undefined, T, undefined> {
  return work();
}
