/** A string that is written in place: setbit, setrange and HyperLogLogs change it without copying all of it. */
export class ByteBuffer {
  readonly type = 'string';
  private held: Buffer;

  constructor(
    bytes: Uint8Array,
    private byteCount: number = bytes.length,
  ) {
    this.held = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Creates a buffer from a byte string. */
  static of(text: string): ByteBuffer {
    return new ByteBuffer(Buffer.from(text, 'latin1'));
  }

  get length(): number {
    return this.byteCount;
  }

  /** Estimated memory. */
  get bytes(): number {
    return this.held.length + 96;
  }

  /** The bytes themselves: may be written to in place. */
  get content(): Buffer {
    return this.held.subarray(0, this.byteCount);
  }

  /** Extends it to at least this length, with zeros. */
  growTo(length: number): void {
    if (length <= this.byteCount) return;
    if (length > this.held.length) {
      const grown = Buffer.alloc(Math.max(length, Math.min(2 * this.held.length, length + 1_048_576)));
      this.held.copy(grown, 0, 0, this.byteCount);
      this.held = grown;
    }
    this.byteCount = length;
  }

  /** The bytes from `start` to `end` (exclusive), as a byte string. */
  slice(start: number, end: number): string {
    return this.held.toString('latin1', start, Math.min(end, this.byteCount));
  }

  toByteText(): string {
    return this.held.toString('latin1', 0, this.byteCount);
  }
}
