import { memoryErrors, type MaybePromise } from '@millrace/kernel';
import { isSteps, runToEnd, type Steps } from '../steps/Steps.js';
import { SLICE_MS, TurnBudget } from '../steps/TurnBudget.js';

/** Something to be run with no other command in between. */
export interface GateTask<T> {
  /** Who calls: the tasks of one caller run in the order of the calls. */
  readonly caller: string;
  readonly run: () => T | Steps<T>;
  /** May it take longer than a slice? Then it is run in slices, and tasks of other callers that do not go first. */
  readonly isCostly: () => boolean;
}

interface Waiting {
  readonly task: GateTask<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Design note. Runs one command at a time. A command on little data is answered at once, as is one that ends within
 * a slice. A longer one is continued by later turns of the event loop; what comes meanwhile waits, by caller. When it is done, the cheap commands
 * at the head of each caller's queue run first, then one costly command, that of the caller who has waited longest
 * since its last one. So a cheap command waits for one costly command at most, and no caller waits for ever.
 */
export class CommandGate {
  /** By caller; the callers in the order in which their turn comes. */
  private readonly queues = new Map<string, Waiting[]>();
  private readonly budget = new TurnBudget();
  private isBusy = false;
  private closedReason: string | undefined;
  private idleWaiters: (() => void)[] = [];
  /** Slices that did not end their command: for tests. */
  pauseCount = 0;

  /** Is a command under way, or waiting? */
  get isHeld(): boolean {
    return this.isBusy;
  }

  /** @throws what the task throws; memory.unavailable where the gate is closed before its turn */
  run<T>(task: GateTask<T>): MaybePromise<T> {
    if (this.isBusy) return this.enqueue(task);
    this.isBusy = true;
    if (this.budget.isSpent && task.isCostly()) {
      setImmediate(() => this.next());
      return this.enqueue(task);
    }
    let outcome: T | Steps<T>;
    try {
      outcome = task.run();
      if (isSteps(outcome)) {
        const result = this.begin(outcome, task);
        if (result === undefined) return this.finishLater(outcome);
        outcome = result.value;
      }
    } catch (error) {
      this.next();
      throw error;
    }
    this.next();
    return outcome;
  }

  /** The first slice; the clock is read for costly tasks alone. */
  private begin<T>(steps: Steps<T>, { isCostly }: GateTask<T>): { readonly value: T } | undefined {
    if (!isCostly()) return { value: runToEnd(steps) };
    const startMs = performance.now();
    try {
      return this.advance(steps);
    } finally {
      this.budget.add(performance.now() - startMs);
    }
  }

  /** Rejects what waits, and resolves when the command under way is done. */
  async close(reason: string): Promise<void> {
    this.closedReason = reason;
    const error = memoryErrors.unavailable({ reason });
    for (const queue of this.queues.values()) for (const { reject } of queue) reject(error);
    this.queues.clear();
    if (this.isBusy) await new Promise<void>((resolve) => this.idleWaiters.push(resolve));
  }

  private enqueue<T>(task: GateTask<T>): Promise<T> {
    const { closedReason } = this;
    if (closedReason !== undefined)
      return Promise.reject(memoryErrors.unavailable({ reason: closedReason }));
    return new Promise<unknown>((resolve, reject) => {
      const queue = this.queues.get(task.caller);
      const waiting: Waiting = { task, resolve, reject };
      if (queue === undefined) this.queues.set(task.caller, [waiting]);
      else queue.push(waiting);
    }) as Promise<T>;
  }

  /** One slice. @returns undefined where more is to be done */
  private advance<T>(steps: Steps<T>): { readonly value: T } | undefined {
    const endMs = performance.now() + SLICE_MS;
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return { value };
      if (performance.now() > endMs) break;
    }
    this.pauseCount++;
    return undefined;
  }

  private finishLater<T>(steps: Steps<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const goOn = () => {
        try {
          const result = this.advance(steps);
          if (result === undefined) {
            setImmediate(goOn);
            return;
          }
          resolve(result.value);
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
        this.next();
      };
      setImmediate(goOn);
    });
  }

  /** The gate is free: for the next one, or for whoever comes. */
  private next(isCostlyDue = false): void {
    const endMs = this.queues.size === 0 ? 0 : performance.now() + SLICE_MS;
    for (let isFirst = true; this.queues.size > 0; isFirst = false) {
      // Cheap commands that never cease to come hold a costly one up for a slice.
      const cheap = isFirst && isCostlyDue ? undefined : this.takeCheap();
      const waiting = cheap ?? this.takeFirst();
      if (waiting === undefined || !this.runWaiting(waiting)) return;
      if (performance.now() > endMs && this.queues.size > 0) {
        setImmediate(() => this.next(true));
        return;
      }
    }
    this.isBusy = false;
    if (this.idleWaiters.length > 0) for (const resolve of this.idleWaiters.splice(0)) resolve();
  }

  /** @returns false where it goes on later */
  private runWaiting({ task, resolve, reject }: Waiting): boolean {
    try {
      const outcome = task.run();
      if (!isSteps(outcome)) {
        resolve(outcome);
        return true;
      }
      const result = this.begin(outcome, task);
      if (result === undefined) {
        this.finishLater(outcome).then(resolve, reject);
        return false;
      }
      resolve(result.value);
    } catch (error) {
      reject(error instanceof Error ? error : new Error(String(error)));
    }
    return true;
  }

  private takeCheap(): Waiting | undefined {
    for (const [caller, queue] of this.queues) {
      const [head] = queue;
      if (head !== undefined && !head.task.isCostly()) return this.take(caller, queue);
    }
    return undefined;
  }

  private takeFirst(): Waiting | undefined {
    for (const [caller, queue] of this.queues) return this.take(caller, queue);
    return undefined;
  }

  /** The caller's next turn comes after those of the others. */
  private take(caller: string, queue: Waiting[]): Waiting | undefined {
    const waiting = queue.shift();
    this.queues.delete(caller);
    if (queue.length > 0) this.queues.set(caller, queue);
    return waiting;
  }
}
