/** An item and the time from which `takeDue` gives it, in milliseconds of the caller's clock. */
export interface Due<T> {
  readonly dueMs: number;
  readonly item: T;
}

/**
 * Items by due time: a binary heap, which takes less memory than a timer for each. Pushing and taking cost O(log n).
 * If the time of an item changes, push it again and ignore its old entry when that is due, or drop old entries with
 * `retain` once they outnumber the others.
 */
export class DueQueue<T> {
  private heap: Due<T>[] = [];

  get size(): number {
    return this.heap.length;
  }

  /** Due time of the next item; undefined if the queue is empty. */
  get nextMs(): number | undefined {
    return this.heap[0]?.dueMs;
  }

  push(dueMs: number, item: T): void {
    const { heap } = this;
    let at = heap.length;
    const due = { dueMs, item };
    heap.push(due);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((heap[parent] as Due<T>).dueMs <= dueMs) break;
      heap[at] = heap[parent] as Due<T>;
      at = parent;
    }
    heap[at] = due;
  }

  /** Removes and returns the next item that is due at `nowMs`; undefined if there is none. */
  takeDue(nowMs: number): Due<T> | undefined {
    const [next] = this.heap;
    if (next === undefined || next.dueMs > nowMs) return undefined;
    const last = this.heap.pop() as Due<T>;
    if (this.heap.length > 0) this.sink(last);
    return next;
  }

  /** Removes the items that are no longer wanted, in O(n log n). */
  retain(isWanted: (due: Due<T>) => boolean): void {
    // A sorted list is a heap.
    this.heap = this.heap.filter(isWanted).sort((left, right) => left.dueMs - right.dueMs);
  }

  clear(): void {
    this.heap = [];
  }

  /** Places an item from the root downwards. */
  private sink(due: Due<T>): void {
    const { heap } = this;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right !== undefined && right.dueMs < (heap[child] as Due<T>).dueMs) child++;
      if ((heap[child] as Due<T>).dueMs >= due.dueMs) break;
      heap[at] = heap[child] as Due<T>;
      at = child;
    }
    heap[at] = due;
  }
}
