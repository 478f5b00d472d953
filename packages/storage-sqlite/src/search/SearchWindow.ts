/** Number of tasks whatever they take: one runs, one is ready when it ends, the result of a third is on its way. */
const MIN_TASKS = 3;

/** Maximum number of tasks that the search thread has at a time. */
export const MAX_TASKS = 32;

/** Maximum number of further tasks that wait there for an index: they don't delay others. */
export const MAX_DEFERRED = 1_000;

/** Work that may wait at the search thread, by the time of recent tasks: the delay of a client whose turn comes. */
const WORK_MS = 8;

/** Share of the longest recent time that remains with each shorter task. */
const FADING = 0.95;

/**
 * Number of tasks worth sending to the search thread at once. Short tasks are sent in larger numbers, since the thread
 * would otherwise run out of work and be woken for each. What is sent can't be overtaken, so long tasks stay few, and
 * the next one is chosen by the fair queue of requests.
 */
export class SearchWindow {
  /** The longest time of recent tasks, in milliseconds. */
  private recentMs = WORK_MS;

  get size(): number {
    return Math.min(MAX_TASKS, Math.max(MIN_TASKS, Math.floor(WORK_MS / this.recentMs)));
  }

  /** A task took this long. */
  add(ms: number): void {
    this.recentMs = Math.max(ms, this.recentMs * FADING);
  }
}
