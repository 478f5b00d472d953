/** The documents of a result exceed the maximum size of a result. */
export class ResultTooLarge extends Error {
  constructor() {
    super('The result is too large');
    this.name = 'ResultTooLarge';
  }
}

/** Counts the bytes of a result while it is written, so that an oversized one is never held in memory. */
export class ResultBytes {
  private count = 0;

  constructor(private readonly maxBytes: number) {}

  /** Bytes counted so far. */
  get total(): number {
    return this.count;
  }

  /** @returns the bytes of this part @throws ResultTooLarge */
  add(json: string): number {
    const byteLength = Buffer.byteLength(json);
    this.count += byteLength;
    if (this.count > this.maxBytes) throw new ResultTooLarge();
    return byteLength;
  }
}
