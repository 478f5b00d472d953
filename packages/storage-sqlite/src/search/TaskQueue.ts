/*
 * Queue of tasks for the search thread. The thread runs one after another and receives no message meanwhile, so most of
 * them wait here, where a task whose client has disconnected is removed at no cost. A few have already been sent to the
 * thread, each in a slot with a flag in shared memory (`CancelFlags`): a cancelled one that has not begun is skipped, a
 * running one ends at its next check of the flag. Such a task keeps its slot until the thread has responded. A task that
 * the thread has deferred, because its index is being built, doesn't count: others are sent in its place.
 */
import type { WrittenOutcome } from '@millrace/search';
import { queryErrors, type Lifetime } from '@millrace/kernel';
import type { CancelFlags } from './CancelFlags.js';
import type { SearchTask } from './SearchMessages.js';
import { MAX_DEFERRED, type SearchWindow } from './SearchWindow.js';

/** The client of a task, which is cancelled when the client disconnects. */
export type TaskOwner = Pick<Lifetime, 'isClosed' | 'onClosed'>;

interface PendingTask {
  readonly task: SearchTask;
  readonly resolve: (result: WrittenOutcome) => void;
  readonly reject: (error: unknown) => void;
  /** Stops watching its owner. */
  unwatch: (() => void) | undefined;
  slot: number | undefined;
  isDeferred: boolean;
}

type TaskGroup = Set<PendingTask> | Map<number, PendingTask>;

/**
 * The tasks of one search thread: first come, first served, but tasks without an owner go first. Those are internal
 * tasks (accounts, statistics, the next batch of a deletion), are few, and must not wait for a crowd of clients.
 */
export class TaskQueue {
  private readonly own = new Set<PendingTask>();
  private readonly waiting = new Set<PendingTask>();
  private readonly sent = new Map<number, PendingTask>();
  private deferred = 0;

  constructor(
    private readonly flags: CancelFlags,
    private readonly window: SearchWindow,
    private readonly send: (slot: number, task: SearchTask) => void,
  ) {}

  /** @throws query.cancelled once the owner has disconnected, unless the task finished first */
  run(task: SearchTask, owner: TaskOwner | undefined): Promise<WrittenOutcome> {
    if (owner?.isClosed === true) return Promise.reject(queryErrors.cancelled({}));
    return new Promise((resolve, reject) => {
      const pending: PendingTask = {
        task,
        resolve,
        reject,
        unwatch: undefined,
        slot: undefined,
        isDeferred: false,
      };
      pending.unwatch = owner?.onClosed(() => this.cancel(pending));
      (owner === undefined ? this.own : this.waiting).add(pending);
      this.sendNext();
    });
  }

  /** Number of tasks that are sent in addition, since as many wait for an index. */
  get deferredCount(): number {
    return Math.min(MAX_DEFERRED, this.deferred);
  }

  /** Number of tasks that the thread has. */
  get sentCount(): number {
    return this.sent.size;
  }

  /** The thread has deferred a task. */
  defer(slot: number): void {
    const pending = this.sent.get(slot);
    if (pending === undefined || pending.isDeferred) return;
    pending.isDeferred = true;
    this.deferred += 1;
    this.sendNext();
  }

  /** @param ms time that the task took */
  succeed(slot: number, ms: number, result: WrittenOutcome): void {
    this.take(slot, ms)?.resolve(result);
  }

  /** @param ms time that the task took */
  fail(slot: number, ms: number, error: unknown): void {
    this.take(slot, ms)?.reject(error);
  }

  /** Rejects waiting tasks and cancels those sent to the thread, which still responds to them. */
  drop(error: unknown): void {
    this.flags.cancelAll();
    this.rejectAll([this.own, this.waiting], error);
  }

  /** The thread is gone: no responses will follow. */
  abandon(error: unknown): void {
    this.rejectAll([this.sent, this.own, this.waiting], error);
  }

  private rejectAll(groups: readonly TaskGroup[], error: unknown): void {
    for (const group of groups) {
      for (const pending of group.values()) this.reject(pending, error);
      group.clear();
    }
  }

  private cancel(pending: PendingTask): void {
    if (pending.slot !== undefined) this.flags.cancel(pending.slot);
    else if (this.waiting.delete(pending)) this.reject(pending, queryErrors.cancelled({}));
  }

  private take(slot: number, ms: number): PendingTask | undefined {
    this.window.add(ms);
    const pending = this.sent.get(slot);
    this.sent.delete(slot);
    if (pending?.isDeferred === true) this.deferred -= 1;
    pending?.unwatch?.();
    this.sendNext();
    return pending;
  }

  private reject(pending: PendingTask, error: unknown): void {
    pending.unwatch?.();
    pending.reject(error);
  }

  private sendNext(): void {
    const room = this.window.size + 1 + this.deferredCount;
    for (let free = room - this.sent.size; free > 0; free -= 1) {
      const own = firstOf(this.own);
      // The last place is for internal tasks.
      const next = own ?? (free > 1 ? firstOf(this.waiting) : undefined);
      if (next === undefined) return;
      let slot = 0;
      while (this.sent.has(slot)) slot += 1;
      (own === undefined ? this.waiting : this.own).delete(next);
      this.flags.clear(slot);
      next.slot = slot;
      this.sent.set(slot, next);
      this.send(slot, next.task);
    }
  }
}

function firstOf<T>(set: ReadonlySet<T>): T | undefined {
  const [first] = set;
  return first;
}
