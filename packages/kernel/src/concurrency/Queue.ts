/** Places of taken items that may remain before the others are moved forward. */
const COMPACT_AT = 512;

/**
 * First in, first out. Taking an item takes constant time: `Array.shift` moves all others once there are more than
 * some 16,000, so a client that fills an array decides how long the server stops to empty it.
 */
export class Queue<T> implements Iterable<T> {
  private readonly items: (T | undefined)[] = [];
  /** Index of the first item; those before it have been taken. */
  private head = 0;

  get size(): number {
    return this.items.length - this.head;
  }

  /** The item that `take` returns next. */
  get first(): T | undefined {
    return this.items[this.head];
  }

  push(item: T): void {
    this.items.push(item);
  }

  /** Removes the first item and returns it; undefined if there is none. */
  take(): T | undefined {
    if (this.head === this.items.length) return undefined;
    const item = this.items[this.head];
    this.items[this.head] = undefined;
    this.head++;
    if (this.head === this.items.length) this.clear();
    // At most half of the array is moved, so each item is moved once on average.
    else if (this.head >= COMPACT_AT && this.head * 2 >= this.items.length) this.compact();
    return item;
  }

  /** Removes an item wherever it is, in time proportional to the size. @returns false if it isn't there */
  delete(item: T): boolean {
    const at = this.items.indexOf(item, this.head);
    if (at < 0) return false;
    this.items.splice(at, 1);
    return true;
  }

  clear(): void {
    this.items.length = 0;
    this.head = 0;
  }

  /** The items in order. */
  *[Symbol.iterator](): IterableIterator<T> {
    for (let at = this.head; at < this.items.length; at++) yield this.items[at] as T;
  }

  private compact(): void {
    this.items.copyWithin(0, this.head);
    this.items.length -= this.head;
    this.head = 0;
  }
}
