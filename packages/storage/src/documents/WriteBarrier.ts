/*
 * Waits for the writes in flight without a list of them: each write belongs to the generation that was open when it
 * began. Waiting closes that generation; it ends with its last write, after all earlier ones.
 */
import type { WritesInFlight } from '@millrace/kernel';
import { Lifecycle as Scope, scoped } from 'tsyringe';

interface Generation {
  count: number;
  /** Called when the last write has ended; set once the generation is closed. */
  onEnd?: () => void;
}

/** Writes of one kind. */
class Generations {
  private open: Generation = { count: 0 };
  /** Of the last closed generation. */
  private before: Promise<void> | undefined;

  begin(): Generation {
    this.open.count++;
    return this.open;
  }

  end(generation: Generation): void {
    if (--generation.count === 0) generation.onEnd?.();
  }

  /** Resolves when everything that has begun has ended; undefined if nothing is running. */
  whenEnded(): Promise<void> | undefined {
    const { open, before } = this;
    if (open.count === 0) return before;
    const own = new Promise<void>((resolve) => (open.onEnd = resolve));
    const ended: Promise<void> = Promise.all([before, own]).then(() => {
      if (this.before === ended) this.before = undefined;
    });
    this.before = ended;
    this.open = { count: 0 };
    return ended;
  }
}

/** Counts the writes that run. One per server. */
@scoped(Scope.ContainerScoped)
export class WriteBarrier implements WritesInFlight {
  private readonly ofUnobserved = new Generations();
  private readonly ofObserved = new Generations();

  /**
   * Counts a write that begins. Call in the turn in which it was decided whether the write is observed.
   * @returns to be called when it has ended
   */
  begin(isObserved: boolean): () => void {
    const generations = isObserved ? this.ofObserved : this.ofUnobserved;
    const generation = generations.begin();
    return () => generations.end(generation);
  }

  unobserved(): Promise<void> | undefined {
    return this.ofUnobserved.whenEnded();
  }

  all(): Promise<void> | undefined {
    const unobserved = this.ofUnobserved.whenEnded();
    const observed = this.ofObserved.whenEnded();
    if (unobserved === undefined) return observed;
    return observed === undefined ? unobserved : unobserved.then(() => observed);
  }
}
