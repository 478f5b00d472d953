/** An unordered list of integers, 4 bytes each. */
export class IntegerList {
  items: Int32Array;
  length: number;

  constructor(first: readonly number[]) {
    this.length = first.length;
    this.items = new Int32Array(first.length + 4);
    this.items.set(first);
  }

  get last(): number {
    return this.items[this.length - 1] ?? 0;
  }

  push(item: number): void {
    if (this.length === this.items.length) this.resize(this.length + (this.length >> 2) + 2);
    this.items[this.length++] = item;
  }

  /** Removes an item; the last one takes its place. @returns the last one */
  removeAt(at: number): number {
    const last = this.items[--this.length] ?? 0;
    this.items[at] = last;
    if (this.length > 8 && 3 * this.length < this.items.length) this.resize(2 * this.length);
    return last;
  }

  /** Keeps the items that pass a test, in their order. */
  filter(isKept: (item: number) => boolean): void {
    const { items } = this;
    let kept = 0;
    for (let i = 0; i < this.length; i++) {
      const item = items[i] as number;
      if (isKept(item)) items[kept++] = item;
    }
    this.length = kept;
    if (kept > 8 && 3 * kept < items.length) this.resize(2 * kept);
  }

  private resize(capacity: number): void {
    const items = new Int32Array(capacity);
    items.set(this.items.subarray(0, this.length));
    this.items = items;
  }
}
