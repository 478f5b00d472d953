import { readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { JsonValue } from '@millrace/language';

/** A stored index that isn't intact: truncated, modified, or of another format. */
export class UnusableIndex extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'UnusableIndex';
  }
}

const FRAME_BYTES = 8;

/** Reads the output of an `IndexOutput`. Values must be read in the order in which they were written. */
export class IndexInput {
  private at = 0;
  private sum = 0;

  /** @param size end of the values in the file */
  constructor(
    private readonly file: number,
    private readonly size: number,
  ) {}

  /** The checksum of all bytes read so far. */
  get checksum(): number {
    return this.sum;
  }

  /** Whether everything has been read. */
  get isAtEnd(): boolean {
    return this.at === this.size;
  }

  json(): JsonValue {
    return JSON.parse(Buffer.from(this.frame(1)).toString()) as JsonValue;
  }

  /** An object of numbers and flags. */
  numbers<Name extends string>(...names: readonly Name[]): Record<Name, number> {
    const value = this.json();
    if (typeof value !== 'object' || value === null) throw new UnusableIndex('no object');
    const entries = new Map(Object.entries(value));
    return Object.fromEntries(
      names.map((name) => {
        const number = entries.get(name);
        if (typeof number !== 'number') throw new UnusableIndex(`no number "${name}"`);
        return [name, number];
      }),
    ) as Record<Name, number>;
  }

  int32(): Int32Array {
    return new Int32Array(this.frame(4));
  }

  float64(): Float64Array {
    return new Float64Array(this.frame(8));
  }

  uint16(): Uint16Array {
    return new Uint16Array(this.frame(2));
  }

  uint8(): Uint8Array {
    return new Uint8Array(this.frame(1));
  }

  strings(): string[] {
    const count = this.json();
    const list: string[] = [];
    while (list.length < Number(count)) {
      const [isWide] = this.uint8();
      const lengths = this.int32();
      const text = Buffer.from(this.frame(1)).toString(isWide === 1 ? 'utf16le' : 'latin1');
      if (lengths.length === 0) throw new UnusableIndex('a piece without text fields');
      for (let i = 0, from = 0; i < lengths.length; i += 1) {
        const to = from + (lengths[i] as number);
        list.push(text.slice(from, to));
        from = to;
      }
    }
    return list;
  }

  /** Calls `put` for each slot with its numbers. */
  lists(put: (slot: number, values: Float64Array) => void): void {
    const slots = this.int32();
    const counts = this.int32();
    const values = this.float64();
    for (let i = 0, from = 0; i < slots.length; i += 1) {
      const to = from + (counts[i] as number);
      put(slots[i] as number, values.slice(from, to));
      from = to;
    }
  }

  private frame(elementBytes: number): ArrayBuffer {
    const [length = NaN] = new Float64Array(this.bytes(FRAME_BYTES));
    const isPossible = Number.isSafeInteger(length) && length >= 0;
    if (!isPossible || length > this.size - this.at || length % elementBytes !== 0) {
      throw new UnusableIndex('a length that can not be');
    }
    return this.bytes(length);
  }

  private bytes(length: number): ArrayBuffer {
    if (length > this.size - this.at) throw new UnusableIndex('it ends too early');
    const bytes = new Uint8Array(length);
    for (let filled = 0; filled < length;) {
      const read = readSync(this.file, bytes, filled, length - filled, this.at + filled);
      if (read === 0) throw new UnusableIndex('it ends too early');
      filled += read;
    }
    this.at += length;
    this.sum = crc32(bytes, this.sum);
    return bytes.buffer;
  }
}
