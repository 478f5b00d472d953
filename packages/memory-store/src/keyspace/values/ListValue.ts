const ELEMENT_BYTES = 32;

/**
 * A list: a ring buffer whose length is a power of two, so that adding and removing at both ends takes constant time
 * and any element can be accessed by position. Inserting in the middle moves the rest, as in Redis's nodes.
 */
export class ListValue {
  readonly type = 'list';
  private ring: (string | undefined)[] = new Array<string | undefined>(8);
  private head = 0;
  private count = 0;
  bytes = 128;

  get size(): number {
    return this.count;
  }

  at(index: number): string | undefined {
    return index < 0 || index >= this.count ? undefined : this.ring[this.place(index)];
  }

  set(index: number, element: string): void {
    this.bytes += element.length - (this.at(index)?.length ?? 0);
    this.ring[this.place(index)] = element;
  }

  push(element: string): void {
    this.grow();
    this.ring[this.place(this.count++)] = element;
    this.bytes += ELEMENT_BYTES + element.length;
  }

  pushFirst(element: string): void {
    this.grow();
    this.head = (this.head - 1) & (this.ring.length - 1);
    this.ring[this.head] = element;
    this.count++;
    this.bytes += ELEMENT_BYTES + element.length;
  }

  takeLast(): string | undefined {
    if (this.count === 0) return undefined;
    const place = this.place(--this.count);
    return this.taken(place);
  }

  takeFirst(): string | undefined {
    if (this.count === 0) return undefined;
    const place = this.head;
    this.head = (this.head + 1) & (this.ring.length - 1);
    this.count--;
    return this.taken(place);
  }

  /** Elements from `start` to `stop`, both inclusive. */
  slice(start: number, stop: number): string[] {
    const elements: string[] = [];
    for (let index = Math.max(0, start); index <= stop && index < this.count; index++)
      elements.push(this.ring[this.place(index)] ?? '');
    return elements;
  }

  /** All elements, or those from `start` to `stop`, both inclusive. */
  *elements(start = 0, stop = this.count - 1): IterableIterator<string> {
    for (let index = Math.max(0, start); index <= stop && index < this.count; index++)
      yield this.ring[this.place(index)] ?? '';
  }

  clear(): void {
    this.ring = new Array<string | undefined>(8);
    this.head = 0;
    this.count = 0;
    this.bytes = 128;
  }

  insert(index: number, element: string): void {
    this.push(element);
    for (let at = this.count - 1; at > index; at--) this.ring[this.place(at)] = this.ring[this.place(at - 1)];
    this.ring[this.place(index)] = element;
  }

  private taken(place: number): string | undefined {
    const element = this.ring[place];
    this.ring[place] = undefined;
    this.bytes -= ELEMENT_BYTES + (element?.length ?? 0);
    return element;
  }

  private place(index: number): number {
    return (this.head + index) & (this.ring.length - 1);
  }

  private grow(): void {
    if (this.count < this.ring.length) return;
    const { ring, head, count } = this;
    this.ring = ring.slice(head).concat(ring.slice(0, head));
    this.ring.length = 2 * count;
    this.head = 0;
  }
}
