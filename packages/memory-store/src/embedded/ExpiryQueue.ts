/** When a key is due. */
interface Due {
  readonly atMs: number;
  readonly key: string;
}

/**
 * Keys by the time they expire: a binary heap. A key whose expiry changes is pushed again and the old place is found to
 * be stale when its time comes; once stale places outnumber the keys that expire, the heap is made anew. Pushing and
 * taking cost O(log n) and no sweep ever walks over all keys.
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

  /** Takes the next key that is due by `nowMs`. */
  takeDue(nowMs: number): Due | undefined {
    const [next] = this.heap;
    if (next === undefined || next.atMs > nowMs) return undefined;
    const last = this.heap.pop() as Due;
    if (this.heap.length > 0) this.sink(last);
    return next;
  }

  /** Keeps what is still so. */
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
