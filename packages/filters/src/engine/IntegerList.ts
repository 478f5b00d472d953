/** A list of integers in 4 bytes each, in no order. */
export class IntegerList {
  items: Int32Array;
  length: number;

  constructor(first: readonly number[]) {
    this.length = first.length;
    this.items = new Int32Array(first.length + 4);
    this.items.set(first);
  }

  /** The last item. */
  get last(): number {
    return this.items[this.length - 1] ?? 0;
  }

  push(item: number): void {
    if (this.length === this.items.length) this.resize(this.length + (this.length >> 2) + 2);
    this.items[this.length++] = item;
  }

  /** Takes an item out: the last one takes its place. */
  remove(item: number): void {
    const at = this.items.indexOf(item);
    if (at < 0 || at >= this.length) return;
    this.length--;
    this.items[at] = this.items[this.length] ?? 0;
    if (this.length > 8 && 3 * this.length < this.items.length) this.resize(2 * this.length);
  }

  private resize(capacity: number): void {
    const items = new Int32Array(capacity);
    items.set(this.items.subarray(0, this.length));
    this.items = items;
  }
}
