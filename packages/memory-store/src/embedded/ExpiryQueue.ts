/** The expiry of a key. */
interface Due {
  readonly atMs: number;
  readonly key: string;
}

/**
 * Keys by expiry time: a binary heap. If the expiry of a key changes, the key is pushed again, and its old entry is
 * found to be stale when its time comes; once stale entries outnumber the expiring keys, the heap is rebuilt. Pushing
 * and taking cost O(log n), and no sweep ever walks all keys.
 */
export class ExpiryQueue {
  private heap: Due[] = [];

  get length(): number {
    return this.heap.length;
  }

  push(atMs: number, key: string): void {
    const { heap } = this;
    let at = heap.length;
    const due = { atMs, key };
    heap.push(due);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((heap[parent] as Due).atMs <= atMs) break;
      heap[at] = heap[parent] as Due;
      at = parent;
    }
    heap[at] = due;
  }

  /** Removes and returns the next key that is due by `nowMs`. */
  takeDue(nowMs: number): Due | undefined {
    const [next] = this.heap;
    if (next === undefined || next.atMs > nowMs) return undefined;
    const last = this.heap.pop() as Due;
    if (this.heap.length > 0) this.sink(last);
    return next;
  }

  /** Keeps only the entries that are still current. */
  keep(isCurrent: (due: Due) => boolean): void {
    const kept = this.heap.filter(isCurrent).sort((left, right) => left.atMs - right.atMs);
    this.heap = kept;
  }

  clear(): void {
    this.heap = [];
  }

  private sink(due: Due): void {
    const { heap } = this;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right !== undefined && right.atMs < (heap[child] as Due).atMs) child++;
      if ((heap[child] as Due).atMs >= due.atMs) break;
      heap[at] = heap[child] as Due;
      at = child;
    }
    heap[at] = due;
  }
}
