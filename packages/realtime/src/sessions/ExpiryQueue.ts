/** Entries ordered by due time: a binary heap, which takes less memory than one timer per token. */
export class ExpiryQueue<T> {
  private readonly heap: { readonly dueMs: number; readonly entry: T }[] = [];

  /** Due time of the next entry; undefined if the queue is empty. */
  get nextMs(): number | undefined {
    return this.heap[0]?.dueMs;
  }

  get size(): number {
    return this.heap.length;
  }

  push(dueMs: number, entry: T): void {
    const { heap } = this;
    let at = heap.length;
    heap.push({ dueMs, entry });
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.dueAt(parent) <= dueMs) break;
      this.swap(at, parent);
      at = parent;
    }
  }

  /** Removes and returns a due entry; undefined if none is due. */
  takeDue(nowMs: number): T | undefined {
    const { heap } = this;
    const [first] = heap;
    if (first === undefined || first.dueMs > nowMs) return undefined;
    const last = heap.pop();
    if (heap.length > 0 && last !== undefined) {
      heap[0] = last;
      this.sink();
    }
    return first.entry;
  }

  /** Removes the entries that are no longer wanted. */
  retain(isWanted: (entry: T) => boolean): void {
    const kept = this.heap.filter(({ entry }) => isWanted(entry));
    // A sorted list is a heap.
    kept.sort((a, b) => a.dueMs - b.dueMs);
    this.heap.length = 0;
    for (const each of kept) this.heap.push(each);
  }

  clear(): void {
    this.heap.length = 0;
  }

  private sink(): void {
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const child = this.dueAt(left + 1) < this.dueAt(left) ? left + 1 : left;
      if (this.dueAt(child) >= this.dueAt(at)) return;
      this.swap(at, child);
      at = child;
    }
  }

  private dueAt(position: number): number {
    return this.heap[position]?.dueMs ?? Infinity;
  }

  private swap(a: number, b: number): void {
    const { heap } = this;
    [heap[a], heap[b]] = [heap[b] as (typeof heap)[0], heap[a] as (typeof heap)[0]];
  }
}
