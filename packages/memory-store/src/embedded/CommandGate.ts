import { memoryErrors, Queue, type MaybePromise } from '@millrace/kernel';
import { isSteps, runToEnd, type Steps } from '../steps/Steps.js';
import { SLICE_MS, TurnBudget } from '../steps/TurnBudget.js';

/** Work to run without any other command in between. */
export interface GateTask<T> {
  /** The caller: tasks of one caller run in the order of its calls. */
  readonly caller: string;
  readonly run: () => T | Steps<T>;
  /** Whether it may take longer than a slice. If so, it runs in slices, and cheap tasks of other callers run first. */
  readonly isCostly: () => boolean;
}

interface Waiting {
  readonly task: GateTask<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Design note. Runs one command at a time. A command on little data is answered at once, as is one that ends within a
 * slice. A longer one is continued in later turns of the event loop; commands that arrive in the meantime wait, by
 * caller. When it is done, the cheap commands at the head of each caller's queue run first, then one costly command, of
 * the caller whose last one was longest ago. So a cheap command waits for at most one costly command, and no caller
 * starves.
 */
export class CommandGate {
  /** By caller, in the order of their turns. */
  private readonly queues = new Map<string, Queue<Waiting>>();
  private readonly budget = new TurnBudget();
  private isBusy = false;
  private closedReason: string | undefined;
  private idleWaiters: (() => void)[] = [];
  /** Slices that ended before their command did: for tests. */
  pauseCount = 0;

  /** Whether a command is running or waiting. */
  get isHeld(): boolean {
    return this.isBusy;
  }

  /** @throws what the task throws; memory.unavailable if the gate is closed before its turn */
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

  /** Runs the first slice; the clock is read only for costly tasks. */
  private begin<T>(steps: Steps<T>, { isCostly }: GateTask<T>): { readonly value: T } | undefined {
    if (!isCostly()) return { value: runToEnd(steps) };
    const startMs = performance.now();
    try {
      return this.advance(steps);
    } finally {
      this.budget.add(performance.now() - startMs);
    }
  }

  /** Rejects waiting commands, and resolves when the running one is done. */
  async close(reason: string): Promise<void> {
    this.closedReason = reason;
    const error = memoryErrors.unavailable({ reason });
    for (const queue of this.queues.values()) for (const { reject } of queue) reject(error);
    this.queues.clear();
    if (this.isBusy) await new Promise<void>((resolve) => this.idleWaiters.push(resolve));
  }

  private enqueue<T>(task: GateTask<T>): Promise<T> {
    const { closedReason } = this;
    if (closedReason !== undefined) return Promise.reject(memoryErrors.unavailable({ reason: closedReason }));
    return new Promise<unknown>((resolve, reject) => {
      let queue = this.queues.get(task.caller);
      if (queue === undefined) {
        queue = new Queue();
        this.queues.set(task.caller, queue);
      }
      queue.push({ task, resolve, reject });
    }) as Promise<T>;
  }

  /** Runs one slice. @returns undefined if the command isn't done */
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

  /** Frees the gate for the next waiting command, or for any newcomer. */
  private next(isCostlyDue = false): void {
    const endMs = this.queues.size === 0 ? 0 : performance.now() + SLICE_MS;
    for (let isFirst = true; this.queues.size > 0; isFirst = false) {
      // A continuous stream of cheap commands delays a costly one by one slice only.
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

  /** @returns false if the command continues later */
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
      if (queue.first?.task.isCostly() === false) return this.take(caller, queue);
    }
    return undefined;
  }

  private takeFirst(): Waiting | undefined {
    for (const [caller, queue] of this.queues) return this.take(caller, queue);
    return undefined;
  }

  /** The caller's next turn comes after those of the others. */
  private take(caller: string, queue: Queue<Waiting>): Waiting | undefined {
    const waiting = queue.take();
    this.queues.delete(caller);
    if (queue.size > 0) this.queues.set(caller, queue);
    return waiting;
  }
}
