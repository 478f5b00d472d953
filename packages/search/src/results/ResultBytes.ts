/** The documents of a result exceed the maximum size of a result. */
export class ResultTooLarge extends Error {
  constructor() {
    super('The result is too large');
    this.name = 'ResultTooLarge';
  }
}

/** UTF-8 of one UTF-16 code unit. */
const MAX_BYTES_PER_CHAR = 3;

/** Counts the bytes of a result while it is written, so that an oversized one is never held in memory. */
export class ResultBytes {
  private chars = 0;
  /** Parts whose bytes are not counted yet, since all parts together fit whatever they are. */
  private uncounted: string[] | undefined = [];
  private count = 0;

  constructor(private readonly maxBytes: number) {}

  /** UTF-16 code units of all parts so far: at least a third of the bytes, and at most all. */
  get charCount(): number {
    return this.chars;
  }

  /** @throws ResultTooLarge */
  add(json: string): void {
    this.chars += json.length;
    const { uncounted } = this;
    if (uncounted === undefined) this.countBytes(json);
    else if (this.chars * MAX_BYTES_PER_CHAR <= this.maxBytes) uncounted.push(json);
    else {
      this.uncounted = undefined;
      for (const part of uncounted) this.countBytes(part);
      this.countBytes(json);
    }
  }

  private countBytes(json: string): void {
    this.count += Buffer.byteLength(json);
    if (this.count > this.maxBytes) throw new ResultTooLarge();
  }
}
